import SwiftSyntax

extension Kind {
  static let uselessComment = Kind("useless-comment")
}

/// A comment on the line of a finding or on the line before:
/// `// check-continuations:disable never-resumed: the SDK always passes one of them`.
struct SilencingComment {
  static let word = "check-continuations:"

  private let line: Int
  private let column: Int
  /// Nil for a kind that does not exist.
  let kind: Kind?
  private let hasReason: Bool

  static func all(in lines: [Substring]) -> [SilencingComment] {
    lines.enumerated().compactMap { index, text in
      guard let start = text.firstRange(of: "//")?.lowerBound,
        let match = text[start...].firstMatch(of: /check-continuations: *disable *([\w\-]*) *(.*)/)
      else { return nil }
      let reason = match.2
      return SilencingComment(
        line: index + 1,
        column: text.utf8.distance(from: text.startIndex, to: start) + 1,
        kind: Kind.all.first { $0.name == match.1 },
        hasReason: reason.hasPrefix(":") && reason.dropFirst().contains { !$0.isWhitespace }
      )
    }
  }

  /// A comment also silences the debatable kind of its own: which of the two a finding has may
  /// change from one version of the checker to the next.
  func silences(_ finding: Finding) -> Bool {
    guard let kind, hasReason else { return false }
    return (finding.kind == kind || finding.kind.name == "maybe-\(kind.name)")
      && (finding.line == line || finding.line == line + 1)
  }

  /// That the comment silences nothing.
  var finding: Finding {
    let reason =
      kind == nil
      ? "it names no kind of finding"
      : hasReason
        ? "there is no finding of this kind here" : "it gives no reason after the kind and a colon"
    var finding = Finding(
      .uselessComment,
      at: AbsolutePosition(utf8Offset: 0),
      "this comment silences nothing, because \(reason)"
    )
    (finding.line, finding.column) = (line, column)
    return finding
  }
}
