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
  public let message: String
  public fileprivate(set) var line = 0
  public fileprivate(set) var column = 0
  fileprivate let position: AbsolutePosition

  init(_ kind: Kind, at position: AbsolutePosition, _ message: String) {
    (self.kind, self.message, self.position) = (kind, message, position)
  }

  /// A comment on the line or on the line before gives a reason:
  /// `// check-continuations:disable never-resumed: the SDK always passes one of them`.
  fileprivate func isSilenced(in lines: [Substring]) -> Bool {
    let comment = "// check-continuations:disable \(kind.rawValue):"
    return lines[..<line].suffix(2).contains { text in
      text.firstRange(of: comment).map { text[$0.upperBound...].contains(/\S/) } ?? false
    }
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

    let found =
      waits.flatMap(\.findings)
      + file.all(FunctionDeclSyntax.self).flatMap(\.completionHandlerFindings)
      + calls.compactMap(CancellationHandler.init).compactMap(\.lostCancellation)
      + TimeoutRaces(calls: calls, waits: waits).findings
    let lines = source.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    let converter = SourceLocationConverter(fileName: "", tree: file)
    findings = Set(found).sorted { $0.position < $1.position }.compactMap {
      var finding = $0
      let location = converter.location(for: finding.position)
      (finding.line, finding.column) = (location.line, location.column)
      return finding.isSilenced(in: lines) ? nil : finding
    }
  }
}
