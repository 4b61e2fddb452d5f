public import CancellationInternals

/// Reports each call that waits too long, once, or ends the process. One alarm serves all calls.
///
/// Like the code of ``WaitingCalls/list``, this is emitted into the programs that use it, so that
/// others do not contain it.
@usableFromInline package final class LongWaits: Sendable {
  @usableFromInline struct State: ~Copyable {
    @usableFromInline var search: LongWaitsMachine
    @usableFromInline var alarm: Alarm?
    /// Whether a look goes on that no other one may disturb.
    @usableFromInline var isLooking = false
  }

  @usableFromInline static let reported: LongWaits = LongWaits("LONG_WAITS", isFatal: false)
  @usableFromInline static let fatal: LongWaits = LongWaits("HANG_LIMIT", isFatal: true)

  @usableFromInline let environmentLimit: Timeout?
  @usableFromInline let isFatal: Bool
  @usableFromInline let state: Locked<State>

  private init(_ variable: String, isFatal: Bool) {
    environmentLimit = environmentNumber("COOPERATIVE_CANCELLATION_" + variable).map {
      .seconds($0)
    }
    self.isFatal = isFatal
    // A hung thread may hold a lock. Without waiting for it, a call may be missed now, and found at
    // a later look.
    state = Locked(initially: State(search: LongWaitsMachine(findsAgain: isFatal)))
  }

  @usableFromInline package static var environmentHasLimit: Bool {
    reported.environmentLimit != nil || fatal.environmentLimit != nil
  }

  /// Starts the limits of the environment, but for one that code has set, or that has begun.
  @_alwaysEmitIntoClient
  package static func startByEnvironment() {
    for waits in [reported, fatal] where waits.environmentLimit != nil {
      waits.set(nil, replaces: false)
    }
  }

  @_alwaysEmitIntoClient
  func set(_ limit: Timeout?, replaces: Bool = true) {
    let given = limit.flatMap { $0.isOver ? nil : $0 }
    state.locked { state in
      if !replaces, state.alarm != nil { return }
      state.search.limit = (given ?? environmentLimit)?.nanoseconds ?? .max
      if state.alarm == nil { state.alarm = Alarm { self.ring() } }
      state.alarm?.set(after: state.search.pause)
    }
  }

  @_alwaysEmitIntoClient
  func ring() {
    let (limit, found) = state.locked { state -> (Timeout, Range<Moment>?) in
      let limit = Timeout(nanoseconds: state.search.limit)
      // The look that goes on sets the alarm again.
      if state.isLooking { return (limit, nil) }
      let found = state.search.look(at: .now)
      // Two looks that may end the process would lock the tables for each other, and the list would
      // lack the calls in them. But a handler of reports may take long, so no look waits for it.
      state.isLooking = isFatal && found != nil
      if !state.isLooking { state.alarm?.set(after: state.search.pause) }
      return (limit, found)
    }
    guard let found else { return }
    report(found, limit)
    if !isFatal { return }
    state.locked { state in
      state.isLooking = false
      state.alarm?.set(after: state.search.pause)
    }
  }

  /// Reports the calls that began in a range of time, or ends the process for the first of them.
  @_alwaysEmitIntoClient
  func report(_ found: Range<Moment>, _ limit: Timeout) {
    for call in WaitingCalls.snapshot(mayBlock: !isFatal).calls where found.contains(call.begin) {
      switch call.record.kind {
      // A long wait is normal for these.
      case .element, .taskCancellation: continue
      case .call, .pendingCall, .turn, .tasks: break
      }
      let report = RuntimeIssue(kind: .longWait, callSite: call.callSite, detail: "\(limit)")
      if isFatal {
        let name = "COOPERATIVE_CANCELLATION_HANG_LIMIT"
        let text = "\(name) ends this process: \(report)\n\(WaitingCalls.list)\n"
        // Standard error has a minute to take each part of it.
        _ = writeAll(Array(text.utf8)) { writeSome($0, to: 2, milliseconds: 60_000) }
        endProcess()
      }
      RuntimeIssue.handler(report)
    }
  }
}

/// Finds the calls that wait too long: a value type without a clock.
@usableFromInline struct LongWaitsMachine: Sendable {
  /// Whether each look finds all calls that wait too long, and not only those that it has not found
  /// before.
  @usableFromInline var findsAgain = false
  @usableFromInline var limit = Int64.max  // In nanoseconds.
  /// Calls that began before this time have been found.
  @usableFromInline var end = Moment(nanoseconds: .min)

  /// The time until the alarm must ring again.
  @_alwaysEmitIntoClient
  var pause: Int64 { max(limit / 20, 500_000) }

  /// The alarm rang. Returns when the calls began that have now waited too long.
  @_alwaysEmitIntoClient
  mutating func look(at now: Moment) -> Range<Moment>? {
    let due = now.advanced(by: -limit)
    // Two alarms that ring at once would lock the tables for each other.
    if due < end.advanced(by: pause / 2) { return nil }
    defer { end = due }
    return (findsAgain ? Moment(nanoseconds: .min) : end)..<due
  }
}
