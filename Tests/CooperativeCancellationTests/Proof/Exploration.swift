import CooperativeCancellation
import Testing

/// Something that several parties do step by step, in any order.
protocol Explorable {
  /// What tells one situation from another. Equal ones continue in the same way, so the second one
  /// is not followed.
  associatedtype Situation: Hashable
  var situation: Situation { get }

  /// What has happened so far, to explain a failure. Not text, which would take longer than all
  /// else.
  var history: [Step] { get set }

  /// Gives the objects that all situations share, if any, the state that they have in this one; and
  /// the reverse.
  func restore()
  mutating func save()

  /// Adds everything that may happen next: nothing, at the end of a run. A step checks what it
  /// sees.
  func moves(_ step: inout Steps<Self>)

  /// What must hold after each step. It may note what the step has changed.
  mutating func checkStep()

  /// What must hold at the end of a run.
  func checkEnd()
}

/// Who does something, and the number of who does it, if there are several.
typealias Step = (name: StaticString, number: Int?)

/// The situations that may follow one.
struct Steps<Subject: Explorable> {
  fileprivate let subject: Subject
  fileprivate var next: [Subject] = []

  mutating func callAsFunction(
    _ name: StaticString,
    _ number: Int? = nil,
    _ happen: (inout Subject) -> Void
  ) {
    var copy = subject
    copy.history.append((name, number))
    copy.restore()
    happen(&copy)
    copy.save()
    copy.checkStep()
    next.append(copy)
  }
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
    var steps = Steps(subject: subject)
    subject.moves(&steps)
    if steps.next.isEmpty { subject.checkEnd() }
    let runs = steps.next.isEmpty ? 1 : steps.next.reduce(0) { $0 + follow($1, &known) }
    known[situation] = runs
    return runs
  }
}

extension Explorable {
  func restore() {}

  mutating func save() {}

  func checkStep() {}

  /// Records a failure with what led to it.
  func require(_ condition: Bool, _ guarantee: @autoclosure () -> String) {
    if condition { return }
    let moves = history.map { "\($0.name) \($0.number.map(String.init) ?? "")" }
    Issue.record("\(guarantee()), after: \(moves.joined(separator: ", "))")
  }
}
