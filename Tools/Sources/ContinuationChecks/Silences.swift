/// The comments that silence a finding on their own line or on the next:
/// `// check-continuations:disable never-resumed: the SDK always passes one of them`.
struct Silences {
  private var reasons: [Int: [String: String]] = [:]

  init(source: String) {
    let marker = "check-continuations:disable "
    guard source.contains(marker) else { return }
    let lines = source.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (index, line) in lines.enumerated() {
      guard let start = line.firstRange(of: marker), line[..<start.lowerBound].contains("//")
      else { continue }
      let parts = line[start.upperBound...].split(separator: ":", maxSplits: 1)
      guard let kinds = parts.first else { continue }
      let reason = parts.dropFirst().joined().filter { !$0.isWhitespace }
      for kind in kinds.split(whereSeparator: { $0 == "," || $0.isWhitespace }) {
        reasons[index + 1, default: [:]][String(kind)] = reason
      }
    }
  }

  /// The finding, unless a comment silences it. One without a reason does not.
  func apply(to finding: Finding) -> Finding? {
    let kind = finding.kind.rawValue
    switch reasons[finding.line]?[kind] ?? reasons[finding.line - 1]?[kind] {
    case nil: return finding
    case "":
      return Finding(
        kind: finding.kind,
        line: finding.line,
        column: finding.column,
        message: finding.message + "; the comment does not silence this, because it has no reason"
      )
    default: return nil
    }
  }
}
