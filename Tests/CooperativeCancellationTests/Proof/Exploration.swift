import Testing

/// Something that several parties do step by step, in any order.
protocol Explorable {
  /// What tells one situation from another. Two equal ones continue in the same way, so the second one is not
  /// followed again.
  associatedtype Situation: Hashable
  var situation: Situation { get }

  /// What has happened so far, to explain a failure. Not text: that would take longer than
  /// everything else.
  associatedtype Move
  var history: [Move] { get set }

  /// Calls `step` with everything that may happen next: with nothing, at the end of a run. A step checks what it sees.
  func moves(_ step: (Move, (inout Self) -> Void) -> Void)

  /// What must hold after each step.
  func checkStep()

  /// What must hold at the end of a run.
  func checkEnd()
}

/// A search through every order.
struct Exploration: CustomStringConvertible {
  /// Different situations.
  private(set) var situations = 0
  /// Different complete runs through them; a floating-point number, because there are many.
  private(set) var runs = 0.0

  var description: String { "\(situations) situations, \(runs) different runs" }

  /// Follows every order from `start` to its end.
  mutating func explore<Subject: Explorable>(_ start: Subject) {
    var known: [Subject.Situation: Double] = [:]
    runs += follow(start, &known)
    situations += known.count
  }

  private func follow<Subject: Explorable>(
    _ subject: Subject,
    _ known: inout [Subject.Situation: Double]
  ) -> Double {
    let situation = subject.situation
    if let runs = known[situation] { return runs }
    let next = subject.next()
    if next.isEmpty { subject.checkEnd() }
    let runs = next.isEmpty ? 1 : next.reduce(0) { $0 + follow($1, &known) }
    known[situation] = runs
    return runs
  }
}

extension Explorable {
  fileprivate func next() -> [Self] {
    var all: [Self] = []
    moves { move, happen in
      var copy = self
      copy.history.append(move)
      happen(&copy)
      copy.checkStep()
      all.append(copy)
    }
    return all
  }

  func checkStep() {}

  /// Records a failure with what led to it.
  func require(_ condition: Bool, _ guarantee: @autoclosure () -> String) {
    if condition { return }
    let moves = history.map { "\($0)" }.joined(separator: ", ")
    Issue.record("\(guarantee()), after: \(moves)")
  }
}
