import ContinuationChecks
import Testing

/// Every small program with resumptions in it, against an interpreter that runs each path.
struct SearchTests {
  @Test
  func `what is reported happens, and what certainly happens is reported`() throws {
    var counts: [Set<Kind>: Int] = [:]
    let nested = Statement.all(depth: 2).flatMap { [[$0], [$0, .resume], [.resume, $0]] }
    for program in nested + Statement.pairs(Statement.all(depth: 1)) {
      let paths = Interpreter.run(program, [Interpreter.Path()]).map(\.path)
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
      let found = Set(try Report(source: source(program)).findings.map(\.kind))
      #expect(found == happens, "\(source(program))")
      counts[happens, default: 0] += 1
    }
    #expect(counts.values.filter { $0 > 50 }.count == 4)
  }

  private func source(_ program: [Statement]) -> String {
    var conditions = 0
    return "func f() async { await withCheckedContinuation { c in\n"
      + program.map { $0.source(&conditions) }.joined(separator: "\n") + "\n} }"
  }
}

/// Conditions have a name each, so that none depends on another.
indirect enum Statement {
  case resume, leave, fail
  case check([Statement], [Statement]?)
  case require([Statement])
  case choose([Statement], [Statement])
  case attempt([Statement], [Statement])
  case atOnce([Statement])
  case repeated([Statement])

  static func all(depth: Int) -> [Statement] {
    let simple: [Statement] = [.resume, .leave]
    guard depth > 0 else { return simple }
    return simple
      + ([[]] + all(depth: depth - 1).map { [$0] }).flatMap { body -> [Statement] in
        [.check(body, nil), .repeated(body), .atOnce(body), .require(body + [.leave])]
          + [[], [.resume], [.leave]].flatMap { other -> [Statement] in
            [.check(body, other), .choose(other, body), .attempt([.fail] + body, other)]
          }
      }
  }

  static func pairs(_ statements: [Statement]) -> [[Statement]] {
    statements.flatMap { first in statements.map { [first, $0] } }
  }

  func source(_ conditions: inout Int) -> String {
    func block(_ body: [Statement]) -> String {
      "{\n" + body.map { $0.source(&conditions) }.joined(separator: "\n") + "\n}"
    }
    conditions += 1
    let name = "value\(conditions)"
    switch self {
    case .resume: return "c.resume()"
    case .leave: return "return;"
    case .fail: return "try run()"
    case .check(let body, let other):
      return "if \(name) \(block(body))" + (other.map { " else " + block($0) } ?? "")
    case .require(let body): return "guard \(name) else \(block(body))"
    case .choose(let one, let other):
      return "switch \(name) {\ncase .a: do \(block(one))\ndefault: do \(block(other))\n}"
    case .attempt(let body, let other): return "do \(block(body)) catch \(block(other))"
    case .atOnce(let body): return "withLock \(block(body))"
    case .repeated(let body): return "for _ in \(name) \(block(body))"
    }
  }
}

/// Runs a program once for each sequence of decisions.
enum Interpreter {
  struct Path {
    var decisions: [Int] = []
    /// How many decisions came before each resumption.
    var anchors: [Int] = []
    /// A loop had nothing to iterate over, or would have resumed in another iteration.
    var isUnproven = false
  }

  enum Exit { case end, leave, fail }

  typealias Ends = [(path: Path, exit: Exit)]

  static func run(_ body: [Statement], _ paths: [Path]) -> Ends {
    body.reduce(paths.map { ($0, .end) }) { ends, statement in
      ends.flatMap { $0.exit == .end ? run(statement, $0.path) : [$0] }
    }
  }

  private static func run(_ statement: Statement, _ path: Path) -> Ends {
    func decide(_ bodies: [Statement]...) -> Ends {
      bodies.enumerated().flatMap { index, body in
        var path = path
        path.decisions.append(index)
        return run(body, [path])
      }
    }
    var path = path
    switch statement {
    case .resume:
      path.anchors.append(path.decisions.count)
      return [(path, .end)]
    case .leave: return [(path, .leave)]
    case .fail: return zip(decide([], []), [.end, .fail]).map { ($0.path, $1) }
    case .check(let body, let other): return decide(body, other ?? [])
    case .require(let body): return decide([], body)
    case .choose(let one, let other): return decide(one, other)
    case .atOnce(let body):
      return run(body, [path]).map { ($0.path, $0.exit == .leave ? .end : $0.exit) }
    case .attempt(let body, let other):
      return run(body, [path]).flatMap { path, exit -> Ends in
        guard exit == .fail else { return [(path, exit)] }
        // An error depends on nothing else: what has resumed before begins anew.
        var path = path
        if path.anchors.count == 1 { path.anchors = [path.decisions.count] }
        return run(other, [path])
      }
    case .repeated(let body):
      // Not at all, once or twice.
      var ends = decide([], body + [.check(body, nil)])
      let goesOn = run(body, [Path()]).contains { $0.exit == .end && !$0.path.anchors.isEmpty }
      for index in ends.indices
      where index == 0 || goesOn && ends[index].exit == .end && ends[index].path.anchors.isEmpty {
        ends[index].path.isUnproven = true
      }
      return ends
    }
  }
}
