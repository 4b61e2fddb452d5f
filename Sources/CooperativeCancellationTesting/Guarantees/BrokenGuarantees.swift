package import CooperativeCancellation

/// All guarantees that a wrapper breaks.
public struct BrokenGuarantees: Error, Sendable, CustomStringConvertible {
  struct Finding: Sendable {
    let guarantee: WrapperGuarantee
    let text: String
    /// Whether the wrapper hung.
    let hangs: Bool

    init(_ guarantee: WrapperGuarantee, _ text: String, hangs: Bool = false) {
      self.guarantee = guarantee
      self.text = text
      self.hangs = hangs
    }
  }

  /// Where the test calls the check.
  package let callSite: CallSite

  private let findings: [Finding]
  private let leftOut: [WrapperGuarantee]

  /// The broken guarantees, each once.
  public var guarantees: [WrapperGuarantee] {
    findings.map(\.guarantee).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }

  /// Says where, what happened for each broken guarantee, what to write instead, and which guarantees were not tried.
  public var description: String {
    var lines = [
      "\(callSite): the wrapper violates \(guarantees.count == 1 ? "a guarantee" : "\(guarantees.count) guarantees")."
    ]
    for guarantee in guarantees {
      lines += findings.filter { $0.guarantee == guarantee }.map {
        "– \(guarantee.rawValue): \($0.text)"
      }
      lines.append("  → \(guarantee.remedy)")
    }
    if !leftOut.isEmpty {
      lines.append(
        """
        – not tried, because resuming a continuation twice would crash the test: \
        \(leftOut.map(\.rawValue).joined(separator: ", "))
        """
      )
    }
    return lines.joined(separator: "\n")
  }

  init(_ findings: [Finding], _ leftOut: [WrapperGuarantee], _ callSite: CallSite) {
    // Two trials may find the same problem.
    self.findings = findings.reduce(into: []) { found, finding in
      if !found.contains(where: { $0.text == finding.text }) { found.append(finding) }
    }
    self.leftOut = leftOut
    self.callSite = callSite
  }
}
