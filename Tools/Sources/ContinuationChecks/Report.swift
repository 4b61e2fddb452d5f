import SwiftParser
import SwiftSyntax

/// What one file contains. A `Project` then judges the findings that depend on other files.
public struct Report: Sendable {
  public private(set) var waits = 0
  /// The waits that end when their task is cancelled.
  public private(set) var cancellableWaits = 0
  public private(set) var findings: [Finding] = []
  /// The lines of functions with so many paths that they are not followed.
  public private(set) var unfollowed: [Int] = []

  /// Deeper than any hand-written code. The parser's own limit is 20 in debug builds.
  static let maximumNesting = 2_000

  private static let words = [
    "Continuation", "withAsync", "ompletion", "eply", "sleep(", "AsyncStream",
    "AsyncThrowingStream", SilencingComment.word,
  ]

  /// Returns nil for what does not parse.
  public init?(source: String, kinds: Set<Kind> = Set(Kind.all.filter { !$0.isDebatable })) {
    // Most files contain nothing to check, and need no parser.
    guard Self.words.contains(where: source.containsASCII) else { return }
    let tree = Parser.parse(source: source, maximumNesting: Self.maximumNesting)
    guard !tree.hasError else { return nil }

    let file = SourceFile(tree)
    waits = file.waits.count
    cancellableWaits = file.waits.count { $0.isCancellable }
    let found = checks.filter { !kinds.isDisjoint(with: $0.kinds) }
      .flatMap { $0.findings(in: file) }
    // Nor lines and their numbers.
    if found.isEmpty, file.unfollowed.isEmpty, !source.containsASCII(SilencingComment.word) {
      return
    }
    let lines = source.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    let converter = SourceLocationConverter(fileName: "", tree: tree)
    let line = { converter.location(for: $0).line }

    // All, because a comment may silence one that is not asked for.
    let located = Set(found).map { finding in
      var finding = finding
      let location = converter.location(for: finding.position)
      (finding.line, finding.column) = (location.line, location.column)
      if let second = finding.second {
        finding.message = finding.message.replacing("#", with: "\(line(second))")
      }
      return finding
    }
    let comments = SilencingComment.all(in: lines)
    let silent = comments.map { comment in located.filter(comment.silences) }
    let useless = zip(comments, silent).filter { comment, silent in
      // A kind that was not asked for was not searched for.
      silent.isEmpty && (comment.kind.map(kinds.contains) ?? true)
    }
    findings =
      located.filter { kinds.contains($0.kind) && !silent.joined().contains($0) }
      + (kinds.contains(.uselessComment) ? useless.map(\.0.finding) : [])
    findings.sort { ($0.line, $0.column) < ($1.line, $1.column) }
    for index in findings.indices {
      findings[index].text = lines[findings[index].line - 1].trimmingSpaces
    }
    unfollowed = Set(file.unfollowed.map(line)).sorted()
  }
}

extension Parser {
  static func parse(source: String, maximumNesting: Int) -> SourceFileSyntax {
    var parser = Parser(source, maximumNestingLevel: maximumNesting)
    return SourceFileSyntax.parse(from: &parser)
  }
}

extension String {
  /// Much faster than `contains`, which looks for characters.
  fileprivate func containsASCII(_ word: String) -> Bool {
    var (source, word) = (self, word)
    return source.withUTF8 { bytes in
      word.withUTF8 { word in
        bytes.indices.dropLast(word.count - 1).contains { start in
          bytes[start] == word[0] && bytes[start...].starts(with: word)
        }
      }
    }
  }
}

extension Substring {
  fileprivate var trimmingSpaces: String {
    String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
  }
}
