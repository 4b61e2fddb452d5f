import SwiftSyntax

/// What conditions depend on.
struct Decision {
  /// The tested values, as text: `error`, `result`, `isValid(url)`.
  var values: Set<String> = []
  /// A flag or a lock decides.
  var isExcused = false
  /// What is nil otherwise was captured weakly, and nothing else decides.
  var isReleased = false

  init(_ conditions: ConditionElementListSyntax, for obligation: Obligation) {
    var isReleased = true
    for condition in conditions {
      var decision = Decision()
      switch condition.condition {
      case .expression(let expression): decision.add(expression, obligation)
      case .optionalBinding(let binding):
        if let value = binding.initializer?.value {
          decision.add(value, obligation)
        } else if let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.text {
          decision.add(name: name, text: name, obligation)
        }
      case .matchingPattern(let match): decision.add(match.initializer.value, obligation)
      case .availability: break
      }
      values.formUnion(decision.values)
      isExcused = isExcused || decision.isExcused
      isReleased = isReleased && decision.isReleased
    }
    self.isReleased = isReleased
  }

  init(_ subject: ExprSyntax, for obligation: Obligation) {
    add(subject, obligation)
  }

  private init() {}

  private mutating func add(_ expression: ExprSyntax, _ obligation: Obligation) {
    var expression = expression.unwrapped
    if let prefix = expression.as(PrefixOperatorExprSyntax.self) {
      expression = prefix.expression.unwrapped
    }
    if let tried = expression.as(TryExprSyntax.self) { return add(tried.expression, obligation) }
    if let awaited = expression.as(AwaitExprSyntax.self) {
      return add(awaited.expression, obligation)
    }
    if let tuple = expression.as(TupleExprSyntax.self) {
      for element in tuple.elements { add(element.expression, obligation) }
      return
    }
    if let sequence = expression.as(SequenceExprSyntax.self) {
      // A cast is a test of its own: none of several has to succeed.
      guard !sequence.elements.contains(where: { $0.is(UnresolvedAsExprSyntax.self) }) else {
        return add(text: sequence.trimmedDescription, of: sequence, obligation)
      }
      for element in sequence.elements { add(element, obligation) }
      return
    }
    if let reference = expression.as(DeclReferenceExprSyntax.self) {
      return add(name: reference.baseName.text, text: reference.baseName.text, obligation)
    }
    guard
      expression.is(MemberAccessExprSyntax.self) || expression.is(FunctionCallExprSyntax.self)
        || expression.is(SubscriptCallExprSyntax.self)
    else { return }
    if expression.as(MemberAccessExprSyntax.self)?.base != nil
      || !expression.is(MemberAccessExprSyntax.self)
    {
      add(text: expression.trimmedDescription, of: expression, obligation)
    }
    // A call without arguments may ask a flag, and set it.
    if let call = expression.as(FunctionCallExprSyntax.self), call.closures.isEmpty,
      call.arguments.allSatisfy({ $0.expression.is(BooleanLiteralExprSyntax.self) }),
      !(call.parent?.is(InitializerClauseSyntax.self) ?? false)
    {
      isExcused = true
    }
  }

  private mutating func add(name: String, text: String, _ obligation: Obligation) {
    values.insert(text)
    values.formUnion(obligation.origins[name] ?? [])
    if obligation.weak.contains(name) { isReleased = true }
    if obligation.names.contains(name) || obligation.helpers.contains(name)
      || obligation.variables.contains(name) || Words(name).saysAnswered
      || (obligation.origins[name] ?? []).contains(where: obligation.variables.contains)
    {
      isExcused = true
    }
  }

  private mutating func add(text: String, of node: some SyntaxProtocol, _ obligation: Obligation) {
    values.insert(text.filter { !$0.isWhitespace })
    if let chain = node.as(ExprSyntax.self)?.chain, obligation.weak.contains(chain.root.lastName),
      chain.optionals.contains(where: { $0.id == chain.root.id })
    {
      isReleased = true
    }
    let names = node.identifiers
    isExcused =
      isExcused || names.contains { obligation.variables.contains($0) || Words($0).saysAnswered }
  }
}
