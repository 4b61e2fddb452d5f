import SwiftParser
import SwiftSyntax

/// What one file contains.
public struct Report: Sendable {
  public var waits = 0
  /// The waits that end when their task is cancelled.
  public var cancellableWaits = 0
  public var findings: [Finding] = []

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

    var mistakes = waits.flatMap(\.mistakes)
    mistakes += file.all(FunctionDeclSyntax.self).compactMap(CompletionHandler.init)
      .flatMap(\.mistakes)
    mistakes += calls.compactMap(CancellationHandler.init).compactMap(\.lostCancellation)
    mistakes += TimeoutRaces(calls: calls, waits: waits).mistakes
    guard !mistakes.isEmpty else { return }

    let silences = Silences(source: source)
    let converter = SourceLocationConverter(fileName: "", tree: file)
    let found = mistakes.compactMap { mistake in
      let location = converter.location(for: mistake.position)
      return silences.apply(
        to: Finding(
          kind: mistake.kind,
          line: location.line,
          column: location.column,
          message: mistake.message
        )
      )
    }
    findings = Set(found).sorted { ($0.line, $0.column) < ($1.line, $1.column) }
  }
}
