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
  public private(set) var line = 0
  public private(set) var column = 0
  private let offset: Int

  init(_ kind: Kind, at position: AbsolutePosition, _ message: String) {
    (self.kind, self.message, offset) = (kind, message, position.utf8Offset)
  }

  fileprivate func located(by converter: SourceLocationConverter) -> Finding {
    let location = converter.location(for: AbsolutePosition(utf8Offset: offset))
    var finding = self
    (finding.line, finding.column) = (location.line, location.column)
    return finding
  }
}

/// What one file contains.
public struct Report: Sendable {
  public private(set) var waits = 0
  /// The waits that end when their task is cancelled.
  public private(set) var cancellableWaits = 0
  public private(set) var findings: [Finding] = []

  public struct DoesNotParse: Error {}

  public init(source: String) throws(DoesNotParse) {
    // Most files contain nothing to check, and need no parser.
    guard ["Continuation", "withAsync", "ompletion", "eply"].contains(where: source.contains)
    else { return }
    let file = Parser.parse(source: source)
    guard !file.hasError else { throw DoesNotParse() }
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
    let silences = Silences(in: source)
    let converter = SourceLocationConverter(fileName: "", tree: file)
    findings = Set(found).compactMap { silences.apply(to: $0.located(by: converter)) }
      .sorted { ($0.line, $0.column) < ($1.line, $1.column) }
  }
}
