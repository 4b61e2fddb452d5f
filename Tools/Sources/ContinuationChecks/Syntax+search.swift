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
    Set(
      tokens(viewMode: .sourceAccurate).compactMap {
        if case .identifier(let name) = $0.tokenKind { name } else { nil }
      }
    )
  }

  var start: AbsolutePosition { positionAfterSkippingLeadingTrivia }

  var isFunction: Bool {
    self.is(FunctionDeclSyntax.self) || self.is(InitializerDeclSyntax.self)
      || self.is(AccessorBlockSyntax.self) || self.is(DeinitializerDeclSyntax.self)
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
  /// The expression without parentheses, `?` and `!`.
  var unwrapped: ExprSyntax {
    let tuple = self.as(TupleExprSyntax.self)?.elements
    let inner =
      self.as(OptionalChainingExprSyntax.self)?.expression
      ?? self.as(ForceUnwrapExprSyntax.self)?.expression
      ?? (tuple?.count == 1 ? tuple?.first?.expression : nil)
    return inner?.unwrapped ?? ExprSyntax(self)
  }

  /// The expression without `!`, `try` and `await` before it.
  var withoutNot: ExprSyntax {
    let value = unwrapped
    let inner =
      value.as(PrefixOperatorExprSyntax.self)?.expression
      ?? value.as(TryExprSyntax.self)?.expression ?? value.as(AwaitExprSyntax.self)?.expression
    return inner?.withoutNot ?? value
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
    let inner =
      value.as(GenericSpecializationExprSyntax.self)?.expression
      ?? value.as(SubscriptCallExprSyntax.self)?.calledExpression
    return inner?.lastName ?? value.name ?? ""
  }

  /// What a chain of members and calls begins with, and the parts of it that may be nil.
  var chain: (root: ExprSyntax, optionals: [ExprSyntax]) {
    var (root, optionals) = (ExprSyntax(self), [ExprSyntax]())
    while true {
      if let optional = root.as(OptionalChainingExprSyntax.self) {
        optionals.append(optional.expression)
      }
      guard
        let base = root.as(OptionalChainingExprSyntax.self)?.expression
          ?? root.as(ForceUnwrapExprSyntax.self)?.expression
          ?? root.as(FunctionCallExprSyntax.self)?.calledExpression
          ?? root.as(SubscriptCallExprSyntax.self)?.calledExpression
          ?? root.as(MemberAccessExprSyntax.self)?.base
      else { return (root, optionals) }
      root = base
    }
  }
}

extension ConditionElementSyntax {
  /// The tested value, and the pattern that is bound to it or matched.
  var value: ExprSyntax? { pattern?.value ?? condition.as(ExprSyntax.self) }

  var pattern: (pattern: PatternSyntax, value: ExprSyntax?)? {
    if let match = condition.as(MatchingPatternConditionSyntax.self) {
      return (match.pattern, match.initializer.value)
    }
    return condition.as(OptionalBindingConditionSyntax.self)
      .map { ($0.pattern, $0.initializer?.value) }
  }
}

extension SequenceExprSyntax {
  /// What the expression assigns, and to what.
  func assignment(compound: Bool = false) -> (target: ExprSyntax, value: ArraySlice<ExprSyntax>)? {
    let parts = Array(elements)
    guard parts.count > 2 else { return nil }
    let name = parts[1].as(BinaryOperatorExprSyntax.self)?.operator.text ?? ""
    let isCompound = compound && ["+=", "-=", "&=", "|=", "*=", "/="].contains(name)
    return parts[1].is(AssignmentExprSyntax.self) || isCompound ? (parts[0], parts[2...]) : nil
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
    case nil: ["$0", "$1", "$2"]
    }
  }

  /// The call that this closure is an argument of.
  var call: FunctionCallExprSyntax? {
    ancestors.prefix { !$0.is(ClosureExprSyntax.self) }.prefix(3).lazy
      .compactMap { $0.as(FunctionCallExprSyntax.self) }.first
  }

  /// A task runs this closure.
  var isTask: Bool {
    let names = ["Task", "detached", "immediate", "addTask", "addTaskUnlessCancelled"]
    return call.map { names.contains($0.callee) } ?? false
  }
}
