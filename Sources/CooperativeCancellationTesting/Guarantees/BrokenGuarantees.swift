package import CooperativeCancellation

/// All guarantees that a wrapper breaks.
public struct BrokenGuarantees: Error, Sendable, CustomStringConvertible {
  struct Finding: Sendable {
    let guarantee: WrapperGuarantee
    let text: String
  }

  /// Where the test calls the check.
  package let callSite: CallSite

  private let findings: [Finding]
  private let leftOut: [String: [WrapperGuarantee]]

  /// The broken guarantees, each once.
  public var guarantees: [WrapperGuarantee] {
    WrapperGuarantee.allCases.filter { guarantee in findings.contains { $0.guarantee == guarantee }
    }
  }

  /// The guarantees that were not tried, because the wrapper did not call the SDK or did not end in another trial, or
  /// because the fake call did not create it. They may be broken, too.
  public var notTried: [WrapperGuarantee] {
    WrapperGuarantee.allCases.filter { guarantee in
      leftOut.values.contains { $0.contains(guarantee) }
    }
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
    return (lines + BrokenGuarantees.describe(leftOut)).joined(separator: "\n")
  }

  /// - Parameter leftOut: The guarantees that were not tried, by the reason.
  init(_ findings: [Finding], _ leftOut: [String: [WrapperGuarantee]], _ callSite: CallSite) {
    // Two trials may find the same problem.
    self.findings = findings.reduce(into: []) { found, finding in
      if !found.contains(where: { $0.text == finding.text }) { found.append(finding) }
    }
    self.leftOut = leftOut
    self.callSite = callSite
  }

  static func describe(_ leftOut: [String: [WrapperGuarantee]]) -> [String] {
    leftOut.sorted { $0.key < $1.key }.map { reason, guarantees in
      "– not tried, because \(reason): \(guarantees.map(\.rawValue).joined(separator: ", "))"
    }
  }
}
