import CScheduler
import Foundation

/// One order in which the entities of a scenario ran.
struct Schedule {
  let status: scheduler_status
  let choices: [scheduler_choice]
  /// The entities, by number.
  private let names: [String]
  /// After a deadlock, where each waits that has not ended.
  private let waiting: [String]

  /// That of the run that has just ended.
  init(_ status: scheduler_status) {
    self.status = status
    choices = Array(
      UnsafeBufferPointer(start: scheduler_choices(), count: scheduler_choice_count())
    )
    let entities = 0..<scheduler_entity_count()
    names = entities.map { String(cString: scheduler_name($0)) }
    waiting =
      [SCHEDULER_DEADLOCK, SCHEDULER_RELOCK].contains(status)
      ? entities.filter { !scheduler_has_ended($0) }.map {
        "\(String(cString: scheduler_name($0))) waits \(words(for: scheduler_waits_at($0)))"
      } : []
  }

  var preemptions: Int { choices.count { $0.is_preemption } }

  func isShorter(than other: Schedule) -> Bool {
    (preemptions, choices.count) < (other.preemptions, other.choices.count)
  }

  /// Threads are still in the middle of something, and may hold locks.
  var isStuck: Bool { status != SCHEDULER_OK && status != SCHEDULER_DIVERGED }

  var problem: String? {
    switch status {
    case SCHEDULER_OK, SCHEDULER_DIVERGED: nil
    case SCHEDULER_DEADLOCK: "deadlock: " + waiting.joined(separator: "; ")
    case SCHEDULER_RELOCK: "a thread locks what it holds: " + waiting.joined(separator: "; ")
    case SCHEDULER_HANG: "hang: 20 seconds without a step"
    case SCHEDULER_ENDLESS: "more than \(SCHEDULER_MOST_CHOICES) steps: perhaps an endless loop"
    default: "a task was made ready by a thread that the scheduler does not control"
    }
  }

  /// The choices up to the last one that is not the usual one, for `--replay`.
  var replay: String {
    var needed = choices
    while let last = needed.last, Int(last.chosen) == last.usual { needed.removeLast() }
    return needed.map { "\($0.chosen)" }.joined(separator: " ")
  }

  /// Each change from one entity to another, in words. If the run kept them, with the callers of
  /// each preempted function.
  func lines(isVerbose: Bool = false) -> [String] {
    var begun: Set<UInt8> = []
    return choices.enumerated().flatMap { number, choice -> [String] in
      let chosen = names[Int(choice.chosen)]
      let isNew = begun.insert(choice.chosen).inserted
      if choice.stopped == Int8(choice.chosen), !isVerbose { return [] }
      let next = isNew ? "\(chosen) begins" : "\(chosen) goes on \(words(for: choice.next))"
      guard choice.is_preemption else { return ["\(number): \(next)"] }
      let callers = callers(of: number).map { "        ← \($0)" }
      return ["\(number): \(names[Int(choice.stopped)]) is preempted \(words(for: choice.at))"]
        + callers + ["\(number): \(next)"]
    }
  }

  /// The functions that had called what was preempted. Only for the last run.
  private func callers(of number: Int) -> [String] {
    guard let stack = scheduler_stack(number) else { return [] }
    var names: [String] = []
    for position in 0..<Int(SCHEDULER_STACK) {
      guard let address = stack[position] else { break }
      if let name = functionName(at: address), !name.hasPrefix("scheduler_"),
        !name.hasPrefix("pthread_"), names.last != name
      {
        names.append(name)
      }
    }
    // The first is where the point is, which the line above has.
    return Array(names.dropFirst().prefix(5))
  }
}

extension scheduler_choice {
  /// Who runs if nothing else is chosen.
  fileprivate var usual: Int { could_go_on ? Int(stopped) : enabled.trailingZeroBitCount }
}

private func words(for point: scheduler_point) -> String {
  let place = functionName(at: point.caller).map { " in \($0)" } ?? ""
  return switch point.kind {
  case SCHEDULER_LOCK: "before it takes lock \(point.lock)\(place)"
  case SCHEDULER_TRY_LOCK: "before it tries lock \(point.lock)\(place)"
  case SCHEDULER_UNLOCKED: "after it released lock \(point.lock)\(place)"
  case SCHEDULER_ENQUEUED: "after it made something ready\(place)"
  case SCHEDULER_STEP: "at “\(point.name.map { String(cString: $0) } ?? "?")”"
  case SCHEDULER_BEGIN: "before it begins"
  default: "at its end"
  }
}

@_silgen_name("swift_demangle")
private func demangle(
  _ name: UnsafePointer<CChar>,
  _ length: Int,
  _ buffer: UnsafeMutablePointer<CChar>?,
  _ size: UnsafeMutablePointer<Int>?,
  _ flags: UInt32
) -> UnsafeMutablePointer<CChar>?

/// The names that were looked for: the symbol table has no index. Only the main thread uses it.
nonisolated(unsafe) private var knownNames: [UnsafeMutableRawPointer: String?] = [:]

/// The name of a function of the program, without modules, types and generic arguments:
/// `Wait.keep`.
private func functionName(at address: UnsafeMutableRawPointer?) -> String? {
  guard let address else { return nil }
  if let known = knownNames[address] { return known }
  let name = findFunctionName(at: address)
  knownNames[address] = .some(name)
  return name
}

private func findFunctionName(at address: UnsafeMutableRawPointer) -> String? {
  guard let symbol = scheduler_symbol(address) else { return nil }
  guard let text = demangle(symbol, strlen(symbol), nil, nil, 0) else {
    return String(cString: symbol)
  }
  defer { free(text) }
  return shortened(String(cString: text))
}

private func shortened(_ text: String) -> String {
  // "generic specialization <…> of closure #1 (…) -> … in Module.(Type in _HASH).function<A>(label:
  // Type) -> Result"
  let text = text.replacing(/\((\S+) in _[0-9A-F]+\)/) { $0.output.1 }
  let function = text.components(separatedBy: " of ").last ?? text
  let parts = function.components(separatedBy: " in ")
  let name = (parts.last ?? "").prefix { $0 != "<" && $0 != "(" }
  let words = name.split(separator: ".")
  let place = words.count > 1 ? words.dropFirst().joined(separator: ".") : String(name)
  return parts.count > 1 ? "a closure in \(place)" : place
}
