extension Scenario {
  static let all = controls + bridges
}
