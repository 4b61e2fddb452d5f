import SwiftSyntax

/// What has to be true elsewhere in a project, so that a finding is a mistake.
struct Question: Hashable, Sendable {
  enum Topic: Sendable {
    /// Does a caller wait for the completion handler, or do something after a failure?
    case answer
    /// Does a caller do anything in its completion handler?
    case use
    /// Can the task of a caller be cancelled?
    case cancellation
    /// Can a reader of the stream stop before its end?
    case reading
  }

  let topic: Topic
  let declaration: Declaration
}

/// What one place says about a question.
enum Answer: Hashable, Sendable {
  /// The place is run if something names one of these functions, or if there are none.
  case yes(ifUsed: Set<String> = [])
  case no
  /// It depends on the callers of the function around the place.
  case ask(Question)

  /// Nil where no name leads to the node.
  static func ask(_ topic: Question.Topic, around node: some SyntaxProtocol) -> Answer? {
    Declaration(around: node).map { .ask(Question(topic: topic, declaration: $0)) }
  }
}

extension Question {
  /// It is about the handler of a public function, which callers elsewhere use, and on which they
  /// depend if it promises to report a failure.
  var isForOthers: Bool {
    declaration.isPublic && handler.map { topic == .use || $0.mayFail } == true
  }

  private var handler: Declaration.Parameter? {
    declaration.parameters?.first { $0.name == declaration.handler }
  }

  /// What a place that has the name of the declaration says. Nil if it means something else.
  func answer(at place: DeclReferenceExprSyntax, in file: SourceFile) -> Answer? {
    let member = place.parent?.as(MemberAccessExprSyntax.self)
    let callee = member.map(Syntax.init) ?? Syntax(place)
    let call = callee.callOfThis
    guard (declaration.parameters == nil) == (call == nil) else { return nil }
    let arguments = call.flatMap(declaration.arguments)
    guard declaration.parameters == nil || arguments != nil else { return nil }
    if let around = Declaration(around: place), around.isSame(as: declaration),
      member?.base.map({ $0.name == "self" }) ?? true
    {
      // A function that calls itself has other callers.
      return nil
    }
    let node = call.map(Syntax.init) ?? callee
    switch topic {
    case .cancellation: return node.cancellation(in: file)
    case .reading: return node.reading(in: file)
    case .answer, .use:
      guard let handler, let value = arguments?[handler.name] else { return nil }
      return value.reaction(as: handler, to: topic, in: file)
    }
  }
}

extension Declaration {
  fileprivate func isSame(as other: Declaration) -> Bool {
    (name, type, parameters) == (other.name, other.type, other.parameters)
  }

  /// The receiver at this place is named after the type, or is of this type.
  func isLikely(at place: DeclReferenceExprSyntax) -> Bool {
    guard let type else { return true }
    let member = place.parent?.as(MemberAccessExprSyntax.self)
    guard let receiver = member?.base, receiver.name != "self" else {
      return place.ancestors.lazy.compactMap(\.typeName).first == type
    }
    // Not the letters of an abbreviation, nor what every type may be.
    let words = Words.parts(of: type).filter { $0.count > 2 }.subtracting(Words.roles)
    return !words.isDisjoint(with: receiver.identifiers.flatMap(Words.parts))
  }
}

extension Syntax {
  /// The call whose function this names, also if that may be nil.
  fileprivate var callOfThis: FunctionCallExprSyntax? {
    guard let parent else { return nil }
    if let call = parent.as(FunctionCallExprSyntax.self) {
      return call.calledExpression.id == id ? call : nil
    }
    let wrappers: Set<SyntaxKind> = [.optionalChainingExpr, .forceUnwrapExpr]
    return wrappers.contains(parent.kind) ? parent.callOfThis : nil
  }
}

extension SyntaxProtocol {
  /// The function around this runs if something names it. Empty if that is not known, as for what
  /// the system calls.
  var usedFunction: Set<String> {
    guard let function = ancestors.lazy.compactMap({ $0.as(FunctionDeclSyntax.self) }).first,
      let name = function.ownName
    else { return [] }
    return [name]
  }
}

extension FunctionDeclSyntax {
  /// Its name, if only this project can have chosen it.
  var ownName: String? {
    let isOthers =
      modifiers.contains { ["override", "public", "open"].contains($0.name.text) }
      || !attributes.isEmpty || mayBeRequired
      // A delegate's first parameter has no label. A protocol's requirement is often one word.
      || signature.parameterClause.parameters.first?.firstName.text == "_"
      || !name.text.contains(where: \.isUppercase)
    return isOthers ? nil : name.text
  }
}
