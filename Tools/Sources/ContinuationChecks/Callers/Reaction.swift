import SwiftSyntax

extension ExprSyntax {
  /// Whether a caller that passes this as a completion handler depends on its call, or uses it.
  /// Nil if the function must be another one, because its handler has another type.
  func reaction(
    as handler: Declaration.Parameter,
    to topic: Question.Topic,
    in file: SourceFile
  ) -> Answer? {
    guard let closure = self.as(ClosureExprSyntax.self) else {
      if self.is(NilLiteralExprSyntax.self) { return .no }
      guard let name, let (own, declaration) = parameter([name]) else {
        return .yes(ifUsed: usedFunction)
      }
      return own.mayBe(handler) ? .ask(Question(topic: topic, declaration: declaration)) : nil
    }
    let reaction = Reaction(of: closure, as: handler, in: file)
    // What does not look at the result goes on after it in any case.
    let asks = file.refers(to: Set(closure.parameterNames), in: closure.statements)
    let goesOn = !asks && !handler.isForSuccess && reaction.doesSomething
    let isUsed = topic == .use && !closure.statements.isEmpty
    if reaction.isHandled || goesOn || isUsed { return .yes(ifUsed: usedFunction) }
    return parameter(reaction.called).map { .ask(Question(topic: topic, declaration: $1)) } ?? .no
  }

  /// The parameter of the function around this that has one of these names, and the function.
  private func parameter(
    _ names: Set<String>
  ) -> (own: Declaration.Parameter, function: Declaration)? {
    guard var declaration = Declaration(around: self),
      let handler = declaration.parameters?.last(where: { names.contains($0.name) })
    else { return nil }
    declaration.handler = handler.name
    return (handler, declaration)
  }
}

/// What a completion handler does if it is called with a failure, or in any case.
private struct Reaction {
  /// It does something after a failure, or ends a wait.
  private(set) var isHandled = false
  /// It does more than write a log.
  private(set) var doesSomething = false
  /// What it calls then, as the completion handler of the function around it.
  private(set) var called: Set<String> = []

  private var obligation: Obligation
  private let handler: Declaration.Parameter

  /// What is known of the result where a statement stands. What runs after a success needs no
  /// other call.
  private enum State { case any, failure, success }

  init(of closure: ClosureExprSyntax, as handler: Declaration.Parameter, in file: SourceFile) {
    let function = closure.ancestors.first(where: \.isFunction) ?? Syntax(file.tree)
    obligation = Obligation(names: [], in: function, of: file)
    obligation.hear(closure)
    self.handler = handler
    read(closure.statements, .any)
  }

  private mutating func read(_ items: CodeBlockItemListSyntax, _ state: State) {
    var state = state
    for item in items {
      if let node = item.item.as(GuardStmtSyntax.self) {
        let (then, otherwise) = states(node.conditions, state)
        read(node.body.statements, otherwise)
        bind(node.conditions)
        state = then
      } else if let node = item.item.as(ExpressionStmtSyntax.self)?.expression.as(IfExprSyntax.self)
      {
        read(node, state)
        let leaves = node.body.statements.last?.item.is(ReturnStmtSyntax.self) == true
        if leaves, node.elseBody == nil { state = states(node.conditions, state).otherwise }
      } else {
        read(item.item, state)
      }
    }
  }

  private func states(
    _ conditions: ConditionElementListSyntax,
    _ state: State
  ) -> (then: State, otherwise: State) {
    let failure = Failure(conditions, for: obligation)
    // `message == "OK"`
    if conditions.count == 1, let condition = conditions.first, condition.comparesToConstant,
      condition.parts.value.map(obligation.isBrought) == true
    {
      return (.success, .failure)
    }
    if failure.inside { return (.failure, failure.otherwise ? state : .success) }
    return failure.otherwise ? (.success, .failure) : (state, state)
  }

  private mutating func read(_ node: some SyntaxProtocol, _ state: State) {
    if state == .success { return }
    switch Syntax(node).as(SyntaxEnum.self) {
    case .expressionStmt(let node): read(node.expression, state)
    case .returnStmt(let node): if let value = node.expression { read(value, state) }
    case .ifExpr(let node): read(node, state)
    case .switchExpr(let node): read(node, state)
    case .doStmt(let node): read(node, state)
    case .forStmt(let node): read(node.body.statements, state)
    case .deferStmt(let node): read(node.body.statements, state)
    case .variableDecl(let node):
      for binding in node.bindings {
        guard let value = binding.initializer?.value else { continue }
        read(value, state)
        obligation.bind(binding.pattern, to: value)
      }
    case .functionCallExpr(let node): read(node, state)
    case .sequenceExpr(let node): read(node, state)
    case .tryExpr(let node): read(node.expression, state)
    case .awaitExpr(let node): read(node.expression, state)
    case .optionalChainingExpr(let node): read(node.expression, state)
    case .memberAccessExpr(let node): if let base = node.base { read(base, state) }
    default: return
    }
  }

  private mutating func read(_ node: IfExprSyntax, _ state: State) {
    let (then, otherwise) = states(node.conditions, state)
    let outer = obligation
    bind(node.conditions)
    if then != .success { read(node.body.statements, then) }
    obligation = outer
    guard otherwise != .success else { return }
    if let block = node.elseBody?.as(CodeBlockSyntax.self) {
      read(block.statements, otherwise)
    } else if let next = node.elseBody?.as(IfExprSyntax.self) {
      read(next, otherwise)
    }
  }

  private mutating func read(_ node: SwitchExprSyntax, _ state: State) {
    let isBrought = obligation.isBrought(node.subject)
    for item in node.cases.compactMap({ $0.as(SwitchCaseSyntax.self) }) {
      let label = item.label.as(SwitchCaseLabelSyntax.self)
      let outer = obligation
      if let label { obligation.bind(label, to: node.subject) }
      let names = label?.identifiers ?? []
      if !isBrought || !names.contains("success") {
        let hasFailed = isBrought && names.contains { Words($0).saysFailure }
        read(item.statements, hasFailed ? .failure : state)
      }
      obligation = outer
    }
  }

  private mutating func read(_ node: DoStmtSyntax, _ state: State) {
    let isOfResult = node.body.all(TryExprSyntax.self).contains {
      obligation.isBrought($0.expression)
    }
    if !isOfResult { read(node.body.statements, state) }
    for clause in node.catchClauses { read(clause.body.statements, isOfResult ? .failure : state) }
  }

  private mutating func read(_ call: FunctionCallExprSyntax, _ state: State) {
    if call.isLog { return }
    for (_, closure) in call.closures { read(closure.statements, state) }
    if let base = call.calledExpression.as(MemberAccessExprSyntax.self)?.base { read(base, state) }
    // A handler of the function around it is not yet the end of a wait.
    let names = Declaration(around: call)?.parameters?.map(\.name) ?? []
    if let name = call.calledExpression.name, names.contains(name) {
      called.insert(name)
      return
    }
    // `group.leave()`, `setLoading(false)`
    let endsWait =
      call.calledExpression.identifiers.map(Words.init)
      .contains { handler.isForSuccess ? $0.saysWait : $0.saysEnd }
      || call.arguments.first?.expression.trimmedDescription == "false"
    let passesResult =
      handler.mayFail
      && call.arguments.contains { $0.expression.name.map(obligation.brought.contains) == true }
    doesSomething = true
    // What takes a closure may do nothing but run it.
    isHandled =
      isHandled || endsWait || call.closures.isEmpty && (state == .failure || passesResult)
  }

  private mutating func read(_ node: SequenceExprSyntax, _ state: State) {
    let values = node.assignment?.value ?? Array(node.elements)
    // `items = result ?? []`
    let hasDefault =
      values.contains { $0.as(BinaryOperatorExprSyntax.self)?.operator.text == "??" }
      && values.contains { obligation.isBrought($0) }
    // `isLoading = false`, `state = .loaded`
    let target = node.assignment.map { Words($0.target.lastName) }
    let isOfState =
      values.count == 1 && target?.saysProgress == true && !obligation.isBrought(values[0])
    let isAssigned = node.assignment != nil
    doesSomething = doesSomething || isAssigned
    isHandled = isHandled || isAssigned && (state == .failure || isOfState) || hasDefault
    for value in values { read(value, state) }
  }

  private mutating func bind(_ conditions: ConditionElementListSyntax) {
    for case let (pattern?, value?) in conditions.map(\.parts) {
      obligation.bind(pattern, to: value)
    }
  }
}

extension ConditionElementSyntax {
  /// As one result of several, which is not said to be a failure.
  fileprivate var comparesToConstant: Bool {
    guard let parts = parts.value?.as(SequenceExprSyntax.self)?.elements.map({ $0 }),
      parts.count == 3, parts[1].as(BinaryOperatorExprSyntax.self)?.operator.text == "=="
    else { return false }
    let isConstant =
      parts[2].is(StringLiteralExprSyntax.self) || parts[2].is(IntegerLiteralExprSyntax.self)
      || parts[2].is(BooleanLiteralExprSyntax.self) && parts[2].trimmedDescription == "true"
    return isConstant && !identifiers.contains { Words($0).saysFailure || $0 == "count" }
  }
}
