import SwiftSyntax

/// What conditions depend on.
struct Decision {
  /// The tested values, as text: `error`, `result`, `isValid(url)`.
  private(set) var values: Set<String> = []
  /// A flag or a lock decides.
  private(set) var isExcused = false
  /// What is nil otherwise was captured weakly, and nothing else decides.
  private(set) var isReleased = false

  init(_ conditions: ConditionElementListSyntax, for obligation: Obligation) {
    isReleased = true
    for condition in conditions {
      let isBinding = condition.condition.is(OptionalBindingConditionSyntax.self)
      var decision = Decision()
      if let value = condition.value {
        decision.add(value, obligation)
      } else if let pattern = condition.pattern?.pattern {
        decision.add(name: pattern.trimmedDescription, obligation)
      }
      // A call without arguments may ask a flag, and set it.
      let call = condition.condition.as(ExprSyntax.self)?.unwrapped.as(FunctionCallExprSyntax.self)
      let asks = call.map { call in
        call.closures.isEmpty
          && call.arguments.allSatisfy { $0.expression.is(BooleanLiteralExprSyntax.self) }
      }
      values.formUnion(isBinding ? decision.nilTests : decision.values)
      isExcused = isExcused || decision.isExcused || asks == true
      isReleased = isReleased && decision.isReleased
    }
  }

  init(_ value: ExprSyntax, for obligation: Obligation) { add(value, obligation) }

  private init() {}

  /// Whether a value is nil says nothing about what it is otherwise.
  private var nilTests: Set<String> { Set(values.map { $0 + "?" }) }

  private mutating func add(_ value: ExprSyntax, _ obligation: Obligation) {
    let value = value.unwrapped
    if let sequence = value.as(SequenceExprSyntax.self),
      // A cast is a test of its own: none of several has to succeed.
      !sequence.elements.contains(where: { $0.is(UnresolvedAsExprSyntax.self) })
    {
      let before = values
      for element in sequence.elements { add(element, obligation) }
      let isNilTest = sequence.elements.contains { $0.is(NilLiteralExprSyntax.self) }
      if isNilTest, sequence.elements.count == 3 { values = nilTests.union(before) }
    } else if let tuple = value.as(TupleExprSyntax.self) {
      for element in tuple.elements { add(element.expression, obligation) }
    } else if let name = value.name {
      add(name: name, obligation)
    } else if !value.identifiers.isEmpty,
      value.as(MemberAccessExprSyntax.self)?.base != nil
        || !value.is(MemberAccessExprSyntax.self)
    {
      values.insert(value.trimmedDescription.filter { !$0.isWhitespace })
      let (root, optionals) = value.chain
      let isOptional = optionals.contains { $0.id == root.id }
      if isOptional, obligation.weak.contains(root.lastName) { isReleased = true }
      let names = value.identifiers
      isExcused =
        isExcused || !names.isDisjoint(with: obligation.variables)
        || names.contains { Words($0).saysAnswered }
    }
  }

  private mutating func add(name: String, _ obligation: Obligation) {
    values.insert(name)
    if obligation.weak.contains(name) { isReleased = true }
    let used = obligation.names.union(obligation.helpers).union(obligation.variables)
    isExcused = isExcused || used.contains(name) || Words(name).saysAnswered
  }
}
