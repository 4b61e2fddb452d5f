import SwiftParser
import SwiftSyntax

/// The waits of a project that end when their task is cancelled, each with the cancellation
/// handlers in its callers. A handler that makes the answer come is a reason to wait for that
/// answer.
///
/// Callers are found by name, in all files, so a common name finds more than calls.
public struct WaitList {
  private var waits: [(place: Place, function: String?)] = []
  private var callers: [(name: String, mentions: Set<String>)] = []
  private var handlers: [(place: Place, mentions: Set<String>)] = []

  /// A handler further away than this has another purpose.
  private static let maximumDistance = 3

  private struct Place: Hashable {
    let path: String
    let line: Int
    var text: String { "\(path):\(line)" }
  }

  public init() {}

  public mutating func add(_ source: String, in path: String) {
    let file = SourceFile(Parser.parse(source: source, maximumNesting: Report.maximumNesting))
    let converter = SourceLocationConverter(fileName: "", tree: file.tree)
    let place = { Place(path: path, line: converter.location(for: $0).line) }

    for call in file.calls {
      if let wait = Wait(call, in: file), wait.isOfLibrary, wait.isCancellable {
        waits.append((place(call.start), Declaration(around: call)?.name))
      }
      if let handler = CancellationHandler(call) {
        handlers.append((place(call.start), handler.operation.identifiers))
      }
    }
    for function in file.functions {
      guard let body = function.body else { continue }
      callers.append((function.name.text, body.identifiers))
    }
    for variable in file.tree.all(PatternBindingSyntax.self) {
      guard let accessors = variable.accessorBlock else { continue }
      callers.append((variable.pattern.trimmedDescription, accessors.identifiers))
    }
  }

  /// One line for each wait.
  public var lines: [String] {
    waits.map { place, function in
      let found = function.map { handlers(around: $0).map(\.text) } ?? []
      let name = function.map { " in `\($0)`" } ?? ""
      let end = found.isEmpty ? "no handler in a caller" : found.joined(separator: ", ")
      return "\(place.text): a cancelled task leaves the wait\(name); handlers: \(end)"
    }
  }

  private func handlers(around function: String) -> [Place] {
    var known: Set = [function]
    var level = known
    for _ in 0..<Self.maximumDistance {
      let found = handlers.filter { !$0.mentions.isDisjoint(with: level) }.map(\.place)
      if !found.isEmpty { return found }
      level = Set(callers.filter { !$0.mentions.isDisjoint(with: level) }.map(\.name))
        .subtracting(known)
      known.formUnion(level)
    }
    return []
  }
}
