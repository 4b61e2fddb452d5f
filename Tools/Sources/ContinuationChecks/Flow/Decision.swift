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
      let (pattern, tested) = condition.parts
      guard let value = tested else { continue }
      if condition.condition.is(MatchingPatternConditionSyntax.self),
        pattern?.identifiers.contains(where: { Words($0).saysState }) == true
      {
        isExcused = true
      }
      var decision = Decision(value, for: obligation)
      if condition.condition.is(OptionalBindingConditionSyntax.self) { decision.testsForNil() }
      values.formUnion(decision.values)
      isExcused = isExcused || decision.isExcused
      isReleased = isReleased && decision.isReleased
    }
  }

  init(_ value: ExprSyntax, for obligation: Obligation) {
    let value = value.unwrapped
    let parts =
      value.as(SequenceExprSyntax.self).map { Array($0.elements) }
      ?? value.as(TupleExprSyntax.self)?.elements.map(\.expression) ?? []
    // A cast is a test of its own: none of several has to succeed.
    if !parts.isEmpty, !parts.contains(where: { $0.is(UnresolvedAsExprSyntax.self) }) {
      for decision in parts.map({ Decision($0, for: obligation) }) {
        values.formUnion(decision.values)
        isExcused = isExcused || decision.isExcused
        isReleased = isReleased || decision.isReleased
      }
      if parts.count == 3, parts[2].is(NilLiteralExprSyntax.self) { testsForNil() }
      return
    }
    let names = value.identifiers.union(value.name.map { [$0] } ?? [])
    let isCase = value.as(MemberAccessExprSyntax.self).map { $0.base == nil } ?? false
    // What it is compared to, as `.cancelled`.
    isExcused = isCase && names.contains { Words($0).saysState }
    guard !names.isEmpty, !isCase else { return }
    let member = value.as(MemberAccessExprSyntax.self)
    let isOfAll = ["isEmpty", "first", "last"].contains(member?.declName.baseName.text)
    // A list that is not empty has a first element.
    values = [isOfAll ? (member?.base?.text ?? "") + "[]" : value.text]
    let (root, optionals) = value.chain
    let isOptional = root.id == value.id || optionals.contains { $0.id == root.id }
    // A calendar always finds a date.
    isReleased =
      isOptional && obligation.weak.contains(root.lastName)
      || value.text.contains(".date(byAdding:")
      || obligation.file.alwaysSet.contains(value.text)
    isExcused =
      !names.isDisjoint(with: obligation.variables) || obligation.isSubject(value)
      || names.contains { Words($0).saysState }
  }

  /// Whether a value is nil says nothing about what it is otherwise.
  private mutating func testsForNil() {
    values = Set(values.map { $0.hasSuffix("[]") ? $0 : $0 + "?" })
  }
}
