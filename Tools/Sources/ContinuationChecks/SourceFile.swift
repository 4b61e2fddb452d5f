import SwiftSyntax

/// A file, and where its names stand, so that no question about a part of it walks through that
/// part again.
final class SourceFile {
  let tree: SourceFileSyntax
  let calls: [FunctionCallExprSyntax]
  let functions: [FunctionDeclSyntax]
  private(set) lazy var waits = calls.compactMap { Wait($0, in: self) }
  private(set) lazy var completionHandlers = functions.compactMap { function in
    function.body.flatMap { body in
      function.completionHandler(in: self).map { (function: function, body: body, obligation: $0) }
    }
  }
  /// Functions with too many paths.
  var unfollowed: [AbsolutePosition] = []
  private let index: Index

  init(_ tree: SourceFileSyntax) {
    self.tree = tree
    index = Index(viewMode: .sourceAccurate)
    index.walk(tree)
    (calls, functions) = (index.calls, index.functions)
  }

  /// Whether one of these names stands in the node, as a reference or as a member.
  func mentions(_ names: Set<String>, in node: some SyntaxProtocol) -> Bool {
    names.contains { index.names[$0].contains(in: node) }
  }

  /// Whether the node refers to one of these names, and not to a member of the same name.
  func refers(to names: Set<String>, in node: some SyntaxProtocol) -> Bool {
    names.contains { index.references[$0].contains(in: node) }
  }

  /// Whether control may leave from within the node.
  func leaves(in node: some SyntaxProtocol) -> Bool { index.leaving.contains(in: node) }

  /// What tries again may call the callback again, and what speaks of completions may keep more of
  /// them: `callErrorCompletion(for: id)`.
  func mayAnswerElsewhere(in node: some SyntaxProtocol) -> Bool {
    index.elsewhere.contains(in: node)
  }

  func assignments(in node: some SyntaxProtocol) -> [Assignment] {
    let first = index.assignments.partitioningIndex { $0.target.position >= node.position }
    return Array(index.assignments[first...].prefix { $0.target.position < node.endPosition })
  }

  /// Optional properties that are never nil: only an initializer sets them, to what is not
  /// optional.
  private(set) lazy var alwaysSet = Set(
    index.variables.filter { node in
      (node.bindingSpecifier.text == "let" || node.modifiers.contains { $0.name.text == "private" })
        && !node.modifiers.contains { $0.name.text == "weak" }
    }
    .flatMap { $0.bindings.compactMap { $0.pattern.as(IdentifierPatternSyntax.self) } }
    .map(\.identifier.text)
    .filter { name in
      let all = index.assignments.filter { $0.target.lastName == name }
      return !all.isEmpty && all.allSatisfy(\.isInitialization)
    }
  )

  /// The functions in which something is cancelled.
  private(set) lazy var cancellations = tree.all(DeclReferenceExprSyntax.self)
    .filter { $0.baseName.text.hasPrefix("cancel") }
    .map { $0.ancestors.first(where: \.isFunction) ?? Syntax(tree) }

  /// The functions of this file that never return.
  private(set) lazy var endless = Set(
    functions.filter { $0.signature.returnClause?.type.trimmedDescription == "Never" }
      .map(\.name.text)
  )

  /// The functions of this file that call their completion handler only with `true`, and perhaps
  /// with more after it.
  private(set) lazy var succeeding = Set(
    Dictionary(grouping: functions, by: \.name.text)
      .filter { $0.value.allSatisfy(\.onlySucceeds) }.keys
  )

  /// Tests wait, and leave out, as no program does.
  private(set) lazy var isTest = tree.statements.contains {
    let module = $0.item.as(ImportDeclSyntax.self)?.path.trimmedDescription
    return ["XCTest", "Testing", "Quick", "Nimble"].contains(module)
  }
}

extension Assignment {
  /// To a parameter of the initializer around it that is not optional.
  fileprivate var isInitialization: Bool {
    let initializer = target.scope?.as(InitializerDeclSyntax.self)
    return initializer?.signature.parameterClause.parameters.contains { parameter in
      (parameter.secondName ?? parameter.firstName).text == value[0].name && value.count == 1
        && !parameter.type.is(OptionalTypeSyntax.self)
        && !parameter.type.is(ImplicitlyUnwrappedOptionalTypeSyntax.self)
    } == true
  }
}

extension [Int]? {
  /// Whether one of these sorted places lies in the node.
  fileprivate func contains(in node: some SyntaxProtocol) -> Bool {
    guard let self else { return false }
    let first = self.partitioningIndex { $0 >= node.position.utf8Offset }
    return first < self.count && self[first] < node.endPosition.utf8Offset
  }
}

extension [Int] {
  fileprivate func contains(in node: some SyntaxProtocol) -> Bool {
    [Int]?(self).contains(in: node)
  }
}

extension Array {
  /// The first place from which on the condition holds; before it, it does not.
  fileprivate func partitioningIndex(where holds: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if holds(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

private final class Index: SyntaxVisitor {
  var calls: [FunctionCallExprSyntax] = []
  var functions: [FunctionDeclSyntax] = []
  var variables: [VariableDeclSyntax] = []
  var assignments: [Assignment] = []
  var names: [String: [Int]] = [:]
  var references: [String: [Int]] = [:]
  var leaving: [Int] = []
  var elsewhere: [Int] = []

  override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
    calls.append(node)
    return .visitChildren
  }

  override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
    functions.append(node)
    return .visitChildren
  }

  override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
    variables.append(node)
    return .visitChildren
  }

  override func visit(_ node: SequenceExprSyntax) -> SyntaxVisitorContinueKind {
    if let assignment = node.assignment { assignments.append(assignment) }
    return .visitChildren
  }

  override func visit(_ token: TokenSyntax) -> SyntaxVisitorContinueKind {
    let place = token.position.utf8Offset
    switch token.tokenKind {
    case .identifier(let text), .dollarIdentifier(let text):
      names[text, default: []].append(place)
      if token.isReference { references[text, default: []].append(place) }
      if token.saysElsewhere { elsewhere.append(place) }
      if Endings.names.contains(text) { leaving.append(place) }
    case .keyword(.return), .keyword(.break), .keyword(.continue), .keyword(.fallthrough),
      .keyword(.throw), .keyword(.try):
      leaving.append(place)
    default: break
    }
    return .skipChildren
  }
}

extension TokenSyntax {
  fileprivate var saysElsewhere: Bool {
    if text.contains("retry") || text.contains("Retry") { return true }
    let reference = parent?.as(DeclReferenceExprSyntax.self)
    let callee =
      reference?.parent?.as(MemberAccessExprSyntax.self).map(ExprSyntax.init)
      ?? reference.map(ExprSyntax.init)
    return text.contains("Completion") && callee?.parent?.is(FunctionCallExprSyntax.self) == true
  }

  /// A reference, not a member of something else that has the same name.
  fileprivate var isReference: Bool {
    if let reference = parent?.as(DeclReferenceExprSyntax.self) {
      return reference.parent?.as(MemberAccessExprSyntax.self)?.declName.id != reference.id
    }
    let binding = parent?.parent?.as(OptionalBindingConditionSyntax.self)
    return binding.map { $0.initializer == nil } ?? false
  }
}
