extension Finding {
  /// Returns nil if a comment on the line or on the line before gives a reason:
  /// `// check-continuations:disable never-resumed: the SDK always passes one of them`.
  func unlessSilenced(in lines: [Substring]) -> Finding? {
    let comments = lines[..<line].suffix(2).compactMap { text in
      text.firstRange(of: "// check-continuations:disable ").map { text[$0.upperBound...] }
    }
    guard let comment = comments.last(where: { $0.contains(kind.rawValue) }) else { return self }
    let reason = comment.split(separator: ":", maxSplits: 1).dropFirst().joined()
    guard reason.allSatisfy(\.isWhitespace) else { return nil }
    var finding = self
    finding.message += " (to silence this, the comment has to give a reason)"
    return finding
  }
}
