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
    let decisions = conditions.map { condition in
      switch condition.condition {
      case .expression(let value):
        // A call without arguments may ask a flag, and set it.
        let asks = value.withoutNot.as(FunctionCallExprSyntax.self).map {
          $0.closures.isEmpty
            && $0.arguments.allSatisfy { $0.expression.is(BooleanLiteralExprSyntax.self) }
        }
        var decision = Decision(value, for: obligation)
        decision.isExcused = decision.isExcused || asks == true
        return decision
      case .optionalBinding(let binding):
        let name = ExprSyntax(
          DeclReferenceExprSyntax(baseName: .identifier(binding.pattern.trimmedDescription))
        )
        return Decision(binding.initializer?.value ?? name, for: obligation)
      case .matchingPattern(let match): return Decision(match.initializer.value, for: obligation)
      case .availability: return Decision()
      }
    }
    values = decisions.reduce(into: []) { $0.formUnion($1.values) }
    isExcused = decisions.contains(where: \.isExcused)
    isReleased = decisions.allSatisfy(\.isReleased)
  }

  init(_ value: ExprSyntax, for obligation: Obligation) { add(value, obligation) }

  private init() {}

  private mutating func add(_ value: ExprSyntax, _ obligation: Obligation) {
    let value = value.withoutNot
    if let sequence = value.as(SequenceExprSyntax.self),
      // A cast is a test of its own: none of several has to succeed.
      !sequence.elements.contains(where: { $0.is(UnresolvedAsExprSyntax.self) })
    {
      for element in sequence.elements { add(element, obligation) }
    } else if let tuple = value.as(TupleExprSyntax.self) {
      for element in tuple.elements { add(element.expression, obligation) }
    } else if let name = value.name {
      values.insert(name)
      values.formUnion(obligation.origins[name] ?? [])
      isReleased = isReleased || obligation.weak.contains(name)
      let isUsed = obligation.names.contains(name) || obligation.helpers.contains(name)
      isExcused =
        isExcused || isUsed || !values.isDisjoint(with: obligation.variables)
        || Words(name).saysAnswered
    } else if !value.identifiers.isEmpty,
      value.as(MemberAccessExprSyntax.self)?.base != nil
        || !value.is(MemberAccessExprSyntax.self)
    {
      values.insert(value.trimmedDescription.filter { !$0.isWhitespace })
      let chain = value.chain
      isReleased =
        isReleased
        || obligation.weak.contains(chain.root.lastName)
          && chain.optionals.contains { $0.id == chain.root.id }
      isExcused =
        isExcused
        || value.identifiers.contains {
          obligation.variables.contains($0) || Words($0).saysAnswered
        }
    }
  }
}
