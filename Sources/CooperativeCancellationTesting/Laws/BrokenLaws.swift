public import CooperativeCancellation

/// All laws that a wrapper breaks.
public struct BrokenLaws: Error, Sendable, CustomStringConvertible {
  struct Finding: Sendable {
    let law: WrapperLaw
    let text: String
    /// Whether further trials are useless.
    var isHopeless = false
    /// Whether the wrapper did not end.
    var hangs = false

    init(_ law: WrapperLaw, _ text: String) {
      self.law = law
      self.text = text
    }
  }

  /// Where the test calls the check.
  public let callSite: CallSite

  private let findings: [Finding]
  private let leftOut: [WrapperLaw]

  /// The broken laws, each once.
  public var laws: [WrapperLaw] {
    findings.map(\.law).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }

  /// Says where, what happened for each broken law, and which laws were not tried.
  public var description: String {
    var lines = [
      "\(callSite): the wrapper breaks \(laws.count == 1 ? "a law" : "\(laws.count) laws")."
    ]
    lines += findings.map { "– \($0.law.rawValue): \($0.text)" }
    if !leftOut.isEmpty {
      lines.append(
        """
        – not tried, because a continuation that is resumed twice would end the process: \
        \(leftOut.map(\.rawValue).joined(separator: ", "))
        """
      )
    }
    return lines.joined(separator: "\n")
  }

  init(_ findings: [Finding], _ leftOut: [WrapperLaw], _ callSite: CallSite) {
    self.findings = findings
    self.leftOut = leftOut
    self.callSite = callSite
  }
}
