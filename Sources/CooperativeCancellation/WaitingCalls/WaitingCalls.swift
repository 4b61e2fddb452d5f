public import CancellationInternals

/// The calls to this library that are waiting now: what a hung test or a frozen screen is waiting
/// for.
///
/// A suspended task is on no thread, so no backtrace shows it. ``list`` does:
///
/// ```
/// 3 calls are waiting:
///   12.3 s  App/Feed.swift:53, 47.7 s left, in the task "refresh"
///   3.1 s  App/Photos.swift:57, timed out, waiting for the SDK's answer
///   0.1 s  App/Socket.swift:58, id 4711
/// ```
///
/// Calls are recorded in debug builds, and elsewhere after ``startRecording(reportingAfter:)``. See
/// <doc:ItHangs>.
public enum WaitingCalls {
  // Emitted into the programs that use it, so that others are smaller.

  /// All recorded calls that are waiting now, oldest first. May be read on any thread. The calls go
  /// on.
  @_alwaysEmitIntoClient
  package static var all: [WaitingCall] { snapshot(mayBlock: true).calls }

  /// All recorded calls that are waiting now, oldest first, one per line. In a debugger: `po
  /// WaitingCalls.list`.
  ///
  /// It never waits for a lock, because a stopped thread may hold one, and says if calls may be
  /// missing as a result.
  #if !DEBUG
    // In debug builds, it stays a function that a debugger can call.
    @_alwaysEmitIntoClient
  #endif
  public static var list: String {
    if !Recorder.isOn { return "Calls are not recorded: see `WaitingCalls.startRecording()`." }
    let (calls, busyTables) = snapshot(mayBlock: false)
    let tables = busyTables == 1 ? "1 table was" : "\(busyTables) tables were"
    return describe(calls)
      + (busyTables > 0 ? "\n  some calls may be missing (\(tables) locked)" : "")
  }

  /// Records every call that begins to wait from now on.
  ///
  /// The environment variable `COOPERATIVE_CANCELLATION_LONG_WAITS`, in seconds, does the same in
  /// debug builds and with the test kit. `COOPERATIVE_CANCELLATION_HANG_LIMIT` ends the process at
  /// a longer wait: <doc:ItHangs>.
  ///
  /// - Parameter limit: Reports each call that waits longer to ``RuntimeIssue/handler``, once, from
  ///   another thread; `nil`, zero or less reports none, unless the environment says so. Readers of
  ///   sequences are not reported.
  @_alwaysEmitIntoClient
  public static func startRecording(reportingAfter limit: Timeout? = nil) {
    startRecordingByEnvironment()
    Recorder.recording.cancel()
    LongWaits.reported.set(limit)
  }

  /// Records calls, and starts the limits of the environment, if it has any. The test kit calls
  /// this, because the tests of a release build need not call anything.
  @_alwaysEmitIntoClient
  package static func startRecordingByEnvironment() {
    // First, because `Recorder.recording` would otherwise warn that nothing uses the list.
    Recorder.isListUsed.locked { $0 = true }
    guard LongWaits.environmentHasLimit else { return }
    Recorder.recording.cancel()
    LongWaits.startByEnvironment()
  }

  /// The waiting calls, oldest first, and how many tables were locked, perhaps by a thread that a
  /// debugger has stopped.
  @_alwaysEmitIntoClient
  static func snapshot(mayBlock: Bool) -> (calls: [WaitingCall], busyTables: Int) {
    // Described after unlocking, because that may run user code. What is in both copies was waiting
    // between them.
    let copies = (0..<2).map { _ in
      Recorder.tables.map { $0.locked(mayBlock: mayBlock) { $0.all } }
    }
    let still = Set(copies[1].compactMap { $0 }.joined().map { ObjectIdentifier($0.record) })
    let entries = copies[0].compactMap { $0 }.joined().filter { still.contains(.init($0.record)) }
    let now = Moment.now
    let calls = entries.sorted { $0.begin < $1.begin }.map { record, begin in
      WaitingCall(record, begin: begin, record.progress(mayBlock), now: now)
    }
    return (calls, copies.map { $0.count { $0 == nil } }.max() ?? 0)
  }

  @_alwaysEmitIntoClient
  package static func describe(_ calls: [WaitingCall], atMost limit: Int = .max) -> String {
    if calls.isEmpty { return "No calls are waiting." }
    let title = calls.count == 1 ? "1 call is waiting:" : "\(calls.count) calls are waiting:"
    let lines = calls.prefix(limit).map { "\n  \(tenths($0.seconds)) s  \($0.text)" }
    let rest = calls.count - lines.count
    return title + lines.joined() + (rest > 0 ? "\n  and \(rest) more" : "")
  }
}
