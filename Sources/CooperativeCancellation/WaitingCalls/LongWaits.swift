internal import CancellationInternals

/// Reports each call that waits longer than a limit, once, or ends the process. One alarm serves all calls.
final class LongWaits: Sendable {
  static let reported: LongWaits = LongWaits("LONG_WAITS", isFatal: false) { reported.ring() }
  static let fatal: LongWaits = LongWaits("HANG_LIMIT", isFatal: true) { fatal.ring() }

  let environmentLimit: Timeout?
  private let isFatal: Bool
  private let search = Locked(initially: LongWaitsMachine())
  private let alarm: Locked<Alarm>

  private init(_ variable: String, isFatal: Bool, _ ring: @escaping @Sendable () -> Void) {
    environmentLimit = environmentNumber("COOPERATIVE_CANCELLATION_" + variable).map {
      .seconds($0)
    }
    self.isFatal = isFatal
    // A hung thread may hold a lock. Without waiting for it, a call may be missed now, and found at a later look.
    search.locked { $0.findsAgain = isFatal }
    alarm = Locked(initially: Alarm(ring))
  }

  func set(_ limit: Timeout?) {
    let given = limit.flatMap { $0.isOver ? nil : $0 }
    search.locked { search in
      search.limit = (given ?? environmentLimit)?.nanoseconds ?? .max
      alarm.locked { $0.set(after: search.pause) }
    }
  }

  private func ring() {
    let (limit, found) = search.locked { search in
      alarm.locked { $0.set(after: search.pause) }
      return (Timeout(nanoseconds: search.limit), search.look(at: .now))
    }
    guard let found else { return }
    for call in Recorder.snapshot(mayBlock: !isFatal).calls where found.contains(call.begin) {
      if case .element = call.kind { continue }
      let report = RuntimeIssue(kind: .longWait, callSite: call.callSite, detail: "\(limit)")
      if isFatal { endProcess("\(report)\n\(WaitingCall.list)") }
      RuntimeIssue.handler(report)
    }
  }
}

/// Finds the calls that wait too long: a value type without a clock.
struct LongWaitsMachine: Sendable {
  /// Whether each look finds all calls that wait too long, and not only those that it has not found before.
  var findsAgain = false
  var limit = Int64.max  // In nanoseconds.
  /// Calls that began before this time have been found.
  private var end = Moment(nanoseconds: .min)

  /// The time until the alarm must ring again.
  var pause: Int64 { max(limit / 20, 500_000) }

  /// The alarm rang. Returns when the calls began that have now waited too long.
  mutating func look(at now: Moment) -> Range<Moment>? {
    let due = now.advanced(by: -limit)
    // Two alarms that ring at once would lock the tables for each other.
    if due < end.advanced(by: pause / 2) { return nil }
    defer { end = due }
    return (findsAgain ? Moment(nanoseconds: .min) : end)..<due
  }
}
