@testable import ContinuationChecks
import Testing

/// Every small program with resumptions in it, against what happens on each of its paths.
@Test func `what is reported happens, and what certainly happens is reported`() throws {
  var counts: [Set<Kind>: Int] = [:]
  let nested = Code.all(depth: 2).flatMap { [$0, $0 + .resume, .resume + $0] }
  let flat = Code.all(depth: 1)
  for program in nested + flat.flatMap({ first in flat.map { first + $0 } }) {
    var happens: Set<Kind> = []
    for path in program.paths where !path.isUnproven {
      if path.anchors.isEmpty { happens.insert(.neverResumed) }
      // Certain, if all paths that begin like one that has resumed resume again.
      let isCertain = program.paths.allSatisfy {
        $0.anchors.count > 1 || $0.anchors.first != path.anchors.first
          || !$0.decisions.starts(with: path.decisions.prefix(path.anchors.first ?? 0))
      }
      if path.anchors.count > 1, isCertain { happens.insert(.resumedTwice) }
    }
    let found = Set(try #require(Report(source: program.source)).findings.map(\.kind))
    #expect(found == happens, "\(program.source)")
    counts[happens, default: 0] += 1
  }
  #expect(counts.values.filter { $0 > 50 }.count == 4)
}

private struct Path {
  enum Exit { case end, leave, fail }

  var exit = Exit.end
  var decisions: [Int] = []
  /// How many decisions came before each resumption.
  var anchors: [Int] = []
  /// How often a loop with a resumption in it runs is not known.
  var isUnproven = false

  static func + (first: Path, second: Path) -> Path {
    Path(
      exit: second.exit,
      decisions: first.decisions + second.decisions,
      anchors: first.anchors + second.anchors.map { first.decisions.count + $0 },
      isUnproven: first.isUnproven || second.isUnproven
    )
  }
}

/// A part of a program, and the paths through it.
private struct Code {
  var text = ""
  var paths = [Path()]
  var block: String { "{\n\(text)\n}" }

  static let resume = Code(text: "c.resume()", paths: [Path(anchors: [0])])
  static let leave = Code(text: "return;", paths: [Path(exit: .leave)])
  static let fail = Code(
    text: "try run()",
    paths: [Path(decisions: [0]), Path(exit: .fail, decisions: [1])]
  )

  static func + (first: Code, second: Code) -> Code {
    Code(text: "\(first.text)\n\(second.text)", paths: first.then(second, after: .end))
  }

  /// The other part runs after paths that end in this way.
  func then(_ other: Code, after exit: Path.Exit) -> [Path] {
    paths.flatMap { path in path.exit == exit ? other.paths.map { path + $0 } : [path] }
  }

  static func all(depth: Int) -> [Code] {
    guard depth > 0 else { return [.resume, .leave] }
    return all(depth: 0)
      + ([Code()] + all(depth: depth - 1)).flatMap { body in
        [
          oneOf("if # \(body.block)", body, Code()),
          oneOf("guard # else \((body + leave).block)", Code(), body + .leave),
          repeated(body),
          Code(text: "withLock \(body.block)", paths: body.then(Code(), after: .leave)),
        ]
          + [Code(), .resume, .leave].flatMap { rest in
            [
              oneOf("if # \(body.block) else \(rest.block)", body, rest),
              oneOf("switch # { case 1: do \(body.block) default: do \(rest.block) }", body, rest),
              Code(
                text: "do \((.fail + body).block) catch \(rest.block)",
                paths: (.fail + body).then(rest, after: .fail)
              ),
            ]
          }
      }
  }

  private static func oneOf(_ text: String, _ bodies: Code...) -> Code {
    let decided = bodies.enumerated().flatMap { number, body in
      body.paths.map { Path(decisions: [number]) + $0 }
    }
    return Code(text: text, paths: decided)
  }

  /// Not at all, once or twice.
  private static func repeated(_ body: Code) -> Code {
    var loop = oneOf("for _ in # \(body.block)", Code(), body, body + body)
    for (index, path) in loop.paths.enumerated() where path.exit == .end || path.decisions[0] == 2 {
      loop.paths[index].isUnproven = body.text.contains("resume")
    }
    return loop
  }

  /// Conditions have a name each, so that none depends on another.
  var source: String {
    let parts = text.split(separator: "#", omittingEmptySubsequences: false)
    return "func f() async { await withCheckedContinuation { c in\n"
      + parts.dropFirst().enumerated().reduce(parts[0]) { "\($0)value\($1.offset)\($1.element)" }
      + "\n} }"
  }
}
