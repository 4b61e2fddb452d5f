/// The comments that silence a finding on their own line or on the next:
/// `// check-continuations:disable never-resumed: the SDK always passes one of them`.
struct Silences {
  private let comments: [Int: Substring]

  init(in source: String) {
    let lines = source.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    let found = lines.enumerated().compactMap { index, line in
      line.firstRange(of: "// check-continuations:disable ")
        .map { (index + 1, line[$0.upperBound...]) }
    }
    comments = Dictionary(uniqueKeysWithValues: found)
  }

  /// The finding, unless a comment silences it. One without a reason does not.
  func apply(to finding: Finding) -> Finding? {
    let isMeant = { (comment: Substring) in comment.contains(finding.kind.rawValue) }
    let nearby = [finding.line, finding.line - 1].compactMap { comments[$0] }
    guard let comment = nearby.first(where: isMeant) else { return finding }
    let reason = comment.split(separator: ":", maxSplits: 1).dropFirst().joined()
    guard reason.allSatisfy(\.isWhitespace) else { return nil }
    var finding = finding
    finding.message += " (to silence this, the comment has to give a reason)"
    return finding
  }
}
