import SwiftSyntax

extension SyntaxProtocol {
  /// All nodes of a type in this one, in the order of the text.
  func all<Node: SyntaxProtocol>(_ type: Node.Type) -> [Node] {
    let collector = Collector<Node>(viewMode: .sourceAccurate)
    collector.walk(self)
    return collector.nodes
  }

  /// The nodes around this one, innermost first.
  var ancestors: some Sequence<Syntax> { sequence(first: Syntax(self), next: \.parent).dropFirst() }

  func contains(_ node: some SyntaxProtocol) -> Bool {
    position <= node.position && node.endPosition <= endPosition
  }

  /// The names that this node refers to, with those of members.
  var identifiers: Set<String> {
    let tokens = tokens(viewMode: .sourceAccurate)
    return Set(tokens.filter { $0.tokenKind == .identifier($0.text) }.map(\.text))
  }

  var start: AbsolutePosition { positionAfterSkippingLeadingTrivia }

  /// The function or closure around this node.
  var scope: Syntax? { ancestors.first { $0.isFunction || $0.is(ClosureExprSyntax.self) } }

  var isFunction: Bool {
    [.functionDecl, .initializerDecl, .accessorBlock, .deinitializerDecl].contains(kind)
  }

  /// This is a closure that a task runs.
  var isTask: Bool {
    ["Task", "detached", "immediate", "addTask", "addTaskUnlessCancelled"]
      .contains(self.as(ClosureExprSyntax.self)?.call?.callee)
  }

  /// The name of the type that this node declares or extends.
  var typeName: String? {
    guard self.asProtocol((any DeclGroupSyntax).self) != nil else { return nil }
    return self.as(ExtensionDeclSyntax.self)?.extendedType.trimmedDescription
      ?? self.asProtocol((any NamedDeclSyntax).self)?.name.text
  }

  /// In a type, or the value of a variable, that stands in for another: `previewValue`.
  var isInFake: Bool {
    ancestors.flatMap { [$0.typeName].compactMap(\.self) + $0.variableNames }.map(Words.init)
      .contains(where: \.saysFake)
  }

  private var variableNames: [String] {
    let variable = self.as(VariableDeclSyntax.self)
    return variable?.bindings.compactMap {
      $0.pattern.as(IdentifierPatternSyntax.self)?.identifier.text
    } ?? []
  }

  fileprivate var firstExpression: ExprSyntax? {
    children(viewMode: .sourceAccurate).lazy.compactMap { $0.as(ExprSyntax.self) }.first
  }
}

private final class Collector<Node: SyntaxProtocol>: SyntaxAnyVisitor {
  var nodes: [Node] = []

  override func visitAny(_ node: Syntax) -> SyntaxVisitorContinueKind {
    if let node = node.as(Node.self) { nodes.append(node) }
    return .visitChildren
  }
}

extension ExprSyntaxProtocol {
  /// The expression without parentheses, `?` and `!`, and without `!`, `try` and `await` before it.
  var unwrapped: ExprSyntax {
    let wrappers: Set<SyntaxKind> = [
      .optionalChainingExpr, .forceUnwrapExpr, .prefixOperatorExpr, .tryExpr, .awaitExpr,
    ]
    let tuple = self.as(TupleExprSyntax.self)?.elements
    let inner = tuple?.count == 1 ? tuple?.first?.expression : nil
    return (wrappers.contains(kind) ? firstExpression : inner)?.unwrapped ?? ExprSyntax(self)
  }

  /// As it is written, but for spaces, `self.` and `self?.`.
  var text: String {
    let text = trimmedDescription.filter { !$0.isWhitespace }
    return text.contains("self")
      ? text.replacing("self?.", with: "").replacing("self.", with: "") : text
  }

  /// The name that this is, if it is nothing more.
  var name: String? { unwrapped.as(DeclReferenceExprSyntax.self)?.baseName.text }

  /// The last name of a reference: `load` of `sdk?.load`, `Task` of `Task<Int, Never>.init`.
  var lastName: String {
    let value = unwrapped
    if let member = value.as(MemberAccessExprSyntax.self) {
      let name = member.declName.baseName.text
      return name == "init" ? member.base?.lastName ?? name : name
    }
    let isQualified = value.is(GenericSpecializationExprSyntax.self)
    let inner = isQualified || value.is(SubscriptCallExprSyntax.self) ? value.firstExpression : nil
    return inner?.lastName ?? value.name ?? ""
  }

  /// What a chain of members and calls begins with, and the parts of it that may be nil.
  var chain: (root: ExprSyntax, optionals: [ExprSyntax]) {
    let links: Set<SyntaxKind> = [
      .optionalChainingExpr, .forceUnwrapExpr, .functionCallExpr, .subscriptCallExpr,
      .memberAccessExpr,
    ]
    var (root, optionals) = (ExprSyntax(self), [ExprSyntax]())
    while links.contains(root.kind), let base = root.firstExpression {
      if root.is(OptionalChainingExprSyntax.self) { optionals.append(base) }
      root = base
    }
    return (root, optionals)
  }
}

extension ConditionElementSyntax {
  /// The pattern that is bound or matched, and the tested value.
  var parts: (pattern: PatternSyntax?, value: ExprSyntax?) {
    switch condition {
    case .expression(let value): return (nil, value)
    case .matchingPattern(let match): return (match.pattern, match.initializer.value)
    case .optionalBinding(let binding):
      let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier
      let same = name.map { ExprSyntax(DeclReferenceExprSyntax(baseName: $0.trimmed)) }
      return (binding.pattern, binding.initializer?.value ?? same)
    default: return (nil, nil)
    }
  }
}

struct Assignment {
  let target: ExprSyntax
  let value: [ExprSyntax]
  /// As `count += 1`.
  let isCompound: Bool

  var isToNil: Bool { value[0].is(NilLiteralExprSyntax.self) }
}

extension SequenceExprSyntax {
  /// What the expression assigns, and to what.
  var assignment: Assignment? {
    let parts = elements.prefix(3).map { $0 }
    guard parts.count > 2 else { return nil }
    let name = parts[1].as(BinaryOperatorExprSyntax.self)?.operator.text ?? ""
    let isCompound = ["+=", "-=", "&=", "|=", "*=", "/="].contains(name)
    let isAssignment = isCompound || parts[1].is(AssignmentExprSyntax.self)
    guard isAssignment else { return nil }
    return Assignment(
      target: parts[0],
      value: Array(elements.dropFirst(2)),
      isCompound: isCompound
    )
  }
}

extension FunctionCallExprSyntax {
  var callee: String { calledExpression.lastName }

  var closures: [(label: String?, closure: ClosureExprSyntax)] {
    arguments.compactMap { argument in
      argument.expression.as(ClosureExprSyntax.self).map { (argument.label?.text, $0) }
    } + (trailingClosure.map { [(nil, $0)] } ?? [])
      + additionalTrailingClosures.map { ($0.label.text, $0.closure) }
  }
}

extension ClosureExprSyntax {
  var parameterNames: [String] {
    switch signature?.parameterClause {
    case .simpleInput(let list): list.map(\.name.text)
    case .parameterClause(let clause):
      clause.parameters.map { ($0.secondName ?? $0.firstName).text }
    default: ["$0", "$1", "$2"]
    }
  }

  /// The call that this closure is an argument of.
  var call: FunctionCallExprSyntax? {
    ancestors.prefix { !$0.is(ClosureExprSyntax.self) }.prefix(3).lazy
      .compactMap { $0.as(FunctionCallExprSyntax.self) }.first
  }
}
