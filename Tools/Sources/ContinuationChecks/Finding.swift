import SwiftParser
import SwiftSyntax

/// What is wrong with a callback.
public enum Kind: String, Sendable {
  case neverResumed = "never-resumed"
  case neverCalled = "never-called"
  case resumedTwice = "resumed-twice"
  case cancellationCheckInCallback = "cancellation-check-in-callback"
  case timeoutCannotFire = "timeout-cannot-fire"
  case cancellationLost = "cancellation-lost"
}

public struct Finding: Hashable, Sendable {
  public let kind: Kind
  public internal(set) var message: String
  public fileprivate(set) var line = 0
  public fileprivate(set) var column = 0
  fileprivate let position: AbsolutePosition

  init(_ kind: Kind, at position: AbsolutePosition, _ message: String) {
    (self.kind, self.message, self.position) = (kind, message, position)
  }
}

/// What one file contains.
public struct Report: Sendable {
  public private(set) var waits = 0
  /// The waits that end when their task is cancelled.
  public private(set) var cancellableWaits = 0
  public private(set) var findings: [Finding] = []

  /// Returns nil for what does not parse.
  public init?(source: String) {
    // Most files contain nothing to check, and need no parser.
    guard ["Continuation", "withAsync", "ompletion", "eply"].contains(where: source.contains)
    else { return }
    let file = Parser.parse(source: source)
    guard !file.hasError else { return nil }
    let calls = file.all(FunctionCallExprSyntax.self)
    let waits = calls.compactMap(Wait.init)
    self.waits = waits.count
    cancellableWaits = waits.count { $0.isCancellable }

    let handlers = file.all(FunctionDeclSyntax.self).compactMap(CompletionHandler.init)
    let found =
      waits.flatMap(\.findings) + handlers.flatMap(\.findings)
      + calls.compactMap(CancellationHandler.init).compactMap(\.lostCancellation)
      + TimeoutRaces(calls: calls, waits: waits).findings
    guard !found.isEmpty else { return }
    let lines = source.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    let converter = SourceLocationConverter(fileName: "", tree: file)
    findings = Set(found).sorted { $0.position < $1.position }.compactMap {
      var finding = $0
      let location = converter.location(for: finding.position)
      (finding.line, finding.column) = (location.line, location.column)
      return finding.unlessSilenced(in: lines)
    }
  }
}

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
