import SwiftSyntax

/// Whether a condition tells that a callback has brought a failure, or not what is needed.
///
/// Then the caller has to learn about it. What a function asks of anything else, such as its
/// parameters, a setting or a view, the caller may know already.
struct Failure {
  /// There is a failure where the conditions hold, as after `if let error`.
  private(set) var inside = false
  /// There may be one where they do not hold, as after `guard let data`.
  private(set) var otherwise = false
  /// Something else decides, such as a setting, or which failure it is, so the authors may
  /// have intended the path.
  private(set) var isChoice = true

  init(_ conditions: ConditionElementListSyntax, for obligation: Obligation) {
    for condition in conditions {
      guard let asksForAbsence = condition.asksForAbsence, let value = condition.parts.value,
        obligation.isBrought(value)
      else { continue }
      isChoice = false
      let isOfError = condition.identifiers.contains { Words($0).saysFailure }
      if asksForAbsence != isOfError { inside = true } else { otherwise = true }
    }
  }
}

extension ConditionElementSyntax {
  /// Whether this holds if something is not there, or false. Nil for a comparison of what it is.
  fileprivate var asksForAbsence: Bool? {
    guard case .expression(let value) = condition else { return false }
    if value.name != nil { return value.is(PrefixOperatorExprSyntax.self) }
    guard !value.all(NilLiteralExprSyntax.self).isEmpty else { return nil }
    return value.all(BinaryOperatorExprSyntax.self).contains { $0.operator.text == "==" }
  }
}
