import SwiftSyntax

extension SyntaxProtocol {
  /// All nodes of a type in this one, in the order of the text.
  func all<Node: SyntaxProtocol>(_ type: Node.Type) -> [Node] {
    let collector = Collector<Node>(viewMode: .sourceAccurate)
    collector.walk(self)
    return collector.nodes
  }

  /// The nodes around this one, innermost first.
  var ancestors: some Sequence<Syntax> {
    sequence(state: parent) { node in
      defer { node = node?.parent }
      return node
    }
  }

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
    var expression = ExprSyntax(self)
    while true {
      if let optional = expression.as(OptionalChainingExprSyntax.self) {
        expression = optional.expression
      } else if let forced = expression.as(ForceUnwrapExprSyntax.self) {
        expression = forced.expression
      } else if let tuple = expression.as(TupleExprSyntax.self), tuple.elements.count == 1,
        let only = tuple.elements.first
      {
        expression = only.expression
      } else {
        return expression
      }
    }
  }

  /// The last name of a reference: `load` of `sdk?.load`, `Task` of `Task<Int, Never>.init`.
  var lastName: String {
    let expression = unwrapped
    if let reference = expression.as(DeclReferenceExprSyntax.self) {
      return reference.baseName.text
    }
    if let member = expression.as(MemberAccessExprSyntax.self) {
      let name = member.declName.baseName.text
      if name == "init", let base = member.base { return base.lastName }
      return name
    }
    if let generic = expression.as(GenericSpecializationExprSyntax.self) {
      return generic.expression.lastName
    }
    return ""
  }

  /// What a chain of members and calls begins with, and the parts of it that may be nil.
  var chain: (root: ExprSyntax, optionals: [ExprSyntax]) {
    var (root, optionals) = (ExprSyntax(self), [ExprSyntax]())
    while true {
      if let optional = root.as(OptionalChainingExprSyntax.self) {
        root = optional.expression
        optionals.append(root)
      } else if let call = root.as(FunctionCallExprSyntax.self) {
        root = call.calledExpression
      } else if let call = root.as(SubscriptCallExprSyntax.self) {
        root = call.calledExpression
      } else if let base = root.as(MemberAccessExprSyntax.self)?.base {
        root = base
      } else if let forced = root.as(ForceUnwrapExprSyntax.self) {
        root = forced.expression
      } else {
        return (root, optionals)
      }
    }
  }
}

extension FunctionCallExprSyntax {
  var name: String { calledExpression.lastName }

  var closures: [(label: String?, closure: ClosureExprSyntax)] {
    var closures = arguments.compactMap { argument in
      argument.expression.as(ClosureExprSyntax.self).map { (argument.label?.text, $0) }
    }
    if let trailingClosure { closures.append((nil, trailingClosure)) }
    return closures + additionalTrailingClosures.map { ($0.label.text, $0.closure) }
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
    for node in ancestors.prefix(3) {
      if let call = node.as(FunctionCallExprSyntax.self) { return call }
      if node.is(ClosureExprSyntax.self) { return nil }
    }
    return nil
  }

  /// A task runs this closure.
  var isTask: Bool {
    guard let name = call?.name else { return false }
    return ["Task", "detached", "immediate", "addTask", "addTaskUnlessCancelled"].contains(name)
  }
}
