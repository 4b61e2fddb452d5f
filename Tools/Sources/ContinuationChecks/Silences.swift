/// The comments that silence a finding on their own line or on the next:
/// `// check-continuations:disable never-resumed: the SDK always passes one of them`.
struct Silences {
  private var reasons: [Int: [Substring: String]] = [:]

  init(in source: String) {
    let marker = "// check-continuations:disable "
    guard source.contains(marker) else { return }
    let lines = source.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (index, line) in lines.enumerated() {
      guard let start = line.firstRange(of: marker)?.upperBound else { continue }
      let parts = line[start...].split(separator: ":", maxSplits: 1)
      for kind in parts.first?.split(whereSeparator: { ", ".contains($0) }) ?? [] {
        reasons[index + 1, default: [:]][kind] = parts.dropFirst().joined()
      }
    }
  }

  /// The finding, unless a comment silences it. One without a reason does not.
  func apply(to finding: Finding) -> Finding? {
    let kind = finding.kind.rawValue[...]
    guard let reason = reasons[finding.line]?[kind] ?? reasons[finding.line - 1]?[kind]
    else { return finding }
    guard reason.allSatisfy(\.isWhitespace) else { return nil }
    var finding = finding
    finding.message += " (to silence this, the comment has to give a reason)"
    return finding
  }
}
