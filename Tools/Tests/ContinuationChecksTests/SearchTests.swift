import ContinuationChecks
import Testing

/// Every small program with resumptions in it, against what happens on each of its paths.
@Test
func `what is reported happens, and what certainly happens is reported`() throws {
  var counts: [Set<Kind>: Int] = [:]
  let nested = Code.all(depth: 2).flatMap { [$0, $0 + .resume, .resume + $0] }
  let flat = Code.all(depth: 1)
  for program in nested + flat.flatMap({ first in flat.map { first + $0 } }) {
    let paths = program.run(Path()).map(\.path)
    var happens: Set<Kind> = []
    if paths.contains(where: { $0.anchors.isEmpty && !$0.isUnproven }) {
      happens.insert(.neverResumed)
    }
    // Certain, if all paths that begin like one that has resumed resume again.
    for path in paths where path.anchors.count > 1 && !path.isUnproven {
      let isCertain = paths.allSatisfy {
        $0.anchors.count > 1 || $0.anchors.first != path.anchors[0]
          || !$0.decisions.starts(with: path.decisions.prefix(path.anchors[0]))
      }
      if isCertain { happens.insert(.resumedTwice) }
    }
    let found = Set(try #require(Report(source: program.source)).findings.map(\.kind))
    #expect(found == happens, "\(program.source)")
    counts[happens, default: 0] += 1
  }
  #expect(counts.values.filter { $0 > 50 }.count == 4)
}

private struct Path {
  var decisions: [Int] = []
  /// How many decisions came before each resumption.
  var anchors: [Int] = []
  /// A loop had nothing to iterate over, or goes on after it has resumed.
  var isUnproven = false

  func deciding(_ decision: Int) -> Path {
    var path = self
    path.decisions.append(decision)
    return path
  }
}

/// A part of a program: its text, and how the paths through it end.
private struct Code: Sendable {
  enum Exit { case end, leave, fail }

  let text: String
  let run: @Sendable (Path) -> [(path: Path, exit: Exit)]
  var block: String { "{\n\(text)\n}" }

  static let empty = Code(text: "") { [($0, .end)] }
  static let leave = Code(text: "return;") { [($0, .leave)] }
  static let fail = Code(text: "try run()") { [($0.deciding(0), .end), ($0.deciding(1), .fail)] }
  static let resume = Code(text: "c.resume()") {
    var path = $0
    path.anchors.append(path.decisions.count)
    return [(path, .end)]
  }

  static func + (first: Code, second: Code) -> Code {
    Code(text: "\(first.text)\n\(second.text)") {
      first.run($0).flatMap { $0.exit == .end ? second.run($0.path) : [$0] }
    }
  }

  static func all(depth: Int) -> [Code] {
    guard depth > 0 else { return [.resume, .leave] }
    return all(depth: 0)
      + ([.empty] + all(depth: depth - 1)).flatMap { body in
        [
          oneOf("if # \(body.block)", body, .empty),
          oneOf("guard # else \((body + leave).block)", .empty, body + .leave),
          atOnce(body), repeated(body),
        ]
          + [.empty, .resume, .leave].flatMap { other in
            [
              oneOf("if # \(body.block) else \(other.block)", body, other),
              oneOf(
                "switch # { case .a: do \(body.block) default: do \(other.block) }",
                body,
                other
              ),
              attempt(.fail + body, other),
            ]
          }
      }
  }

  private static func oneOf(_ text: String, _ bodies: Code...) -> Code {
    Code(text: text) { path in bodies.enumerated().flatMap { $1.run(path.deciding($0)) } }
  }

  private static func atOnce(_ body: Code) -> Code {
    Code(text: "withLock \(body.block)") {
      body.run($0).map { ($0.path, $0.exit == .leave ? .end : $0.exit) }
    }
  }

  private static func attempt(_ body: Code, _ other: Code) -> Code {
    Code(text: "do \(body.block) catch \(other.block)") {
      body.run($0).flatMap { path, exit in
        exit == .fail ? other.run(path) : [(path, exit)]
      }
    }
  }

  /// Not at all, once or twice.
  private static func repeated(_ body: Code) -> Code {
    let goesOn = body.run(Path()).contains { $0.exit == .end && !$0.path.anchors.isEmpty }
    return Code(text: "for _ in # \(body.block)") { path in
      let iterations = [Code.empty, body, body + body].enumerated()
      return iterations.flatMap { number, body in
        body.run(path.deciding(number)).map {
          var path = $0.path
          path.isUnproven =
            path.isUnproven || number == 0 || goesOn && ($0.exit == .end || number == 2)
          return (path, $0.exit)
        }
      }
    }
  }

  /// Conditions have a name each, so that none depends on another.
  var source: String {
    let parts = text.split(separator: "#", omittingEmptySubsequences: false)
    return "func f() async { await withCheckedContinuation { c in\n"
      + parts.dropFirst().enumerated().reduce(parts[0]) { "\($0)value\($1.offset)\($1.element)" }
      + "\n} }"
  }
}
