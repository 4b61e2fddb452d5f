package import CooperativeCancellation

/// All guarantees that a wrapper breaks.
public struct BrokenGuarantees: Error, Sendable, CustomStringConvertible {
  struct Finding: Sendable {
    let guarantee: WrapperGuarantee
    let text: String
  }

  /// Where the test calls the check.
  package let callSite: CallSite

  let findings: [Finding]
  /// The guarantees that were not tried, by the reason. They may be broken, too.
  package let leftOut: [String: [WrapperGuarantee]]

  /// The broken guarantees, each once.
  public var guarantees: [WrapperGuarantee] {
    WrapperGuarantee.allCases.filter(Set(findings.map(\.guarantee)).contains)
  }

  /// Says where, what happened for each broken guarantee, what to write instead, and which
  /// guarantees were not tried.
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
    lines += BrokenGuarantees.describe(leftOut).map { "– \($0)" }
    return lines.joined(separator: "\n")
  }

  /// A line for each of what most wrappers need, and one for the rest.
  static func describe(_ leftOut: [String: [WrapperGuarantee]]) -> [String] {
    let important: [WrapperGuarantee] = [.nextCall, .closing]
    var (lines, rest): ([String], [String]) = ([], [])
    for (reason, guarantees) in leftOut.sorted(by: { $0.key < $1.key }) {
      let group = "\(guarantees.map(\.rawValue).joined(separator: ", ")) (\(reason))"
      if important.contains(where: guarantees.contains) {
        lines.append(group)
      } else {
        rest.append(group)
      }
    }
    if !rest.isEmpty { lines.append(rest.joined(separator: "; ")) }
    return lines.map { "not tried: \($0)" }
  }
}
