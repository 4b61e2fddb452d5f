/// The calls that wait, while they are recorded.
@usableFromInline
enum Recorder {
  /// Where a call is recorded; negative if it is not.
  @usableFromInline typealias Place = Int32

  /// A call that waits. It keeps the wait, and not the reply: a completion that is dropped must be noticed.
  final class Record: Sendable {
    let kind: WaitingCall.Kind
    let callSite: CallSite
    let end: Moment?
    /// `nil` for a reader of a sequence.
    let wait: Wait?
    let isOver: (@Sendable () -> Bool)?
    let taskName: String?

    init(
      _ kind: WaitingCall.Kind,
      _ callSite: CallSite,
      until deadline: Deadline? = nil,
      _ wait: Wait? = nil,
      isOver: (@Sendable () -> Bool)? = nil
    ) {
      (self.kind, self.callSite, self.wait, self.isOver) = (kind, callSite, wait, isOver)
      end = if case .at(let moment)? = deadline { moment } else { nil }
      if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
        taskName = Task.name
      } else {
        taskName = nil
      }
    }
  }

  private typealias Entry = (record: Record, begin: Moment)

  /// Several, so that threads seldom wait for each other.
  private static let tables = (0..<16).map { _ in LockedObject(initially: Slots<Entry>()) }

  /// A cancelled task means on: Apple's systems have no atomics before macOS 15 and iOS 18.
  private static let recording: Task<Void, Never> = {
    let recording = Task<Void, Never>.detached {}
    #if DEBUG
      recording.cancel()
    #endif
    if let limit = environmentNumber("COOPERATIVE_CANCELLATION_LONG_WAITS") {
      recording.cancel()
      LongWaits.all.report(after: Timeout.seconds(limit).nanoseconds)
    }
    return recording
  }()

  @usableFromInline static var isOn: Bool { recording.isCancelled }

  static func turnOn() { recording.cancel() }

  /// A call is about to wait.
  static func add(_ record: Record) -> Place {
    // Neighboring objects differ in these bits.
    let number = Int(bitPattern: ObjectIdentifier(record)) >> 5 & 15
    // The time is read under the lock, so a report that has looked at a later time has seen the call.
    let slot = tables[number].locked { $0.insert((record, .now)) }
    return Place(truncatingIfNeeded: slot << 4 | number)
  }

  /// A reader of a sequence is about to wait.
  @usableFromInline
  static func add(_ callSite: CallSite, isOver: @escaping @Sendable () -> Bool) -> Place {
    add(Record(.element, callSite, isOver: isOver))
  }

  /// The task has read how its call ended.
  @usableFromInline
  static func remove(_ place: Place) {
    // Released after unlocking: the id is the user's.
    _ = tables[Int(place & 15)].extract { $0.remove(Int(place >> 4)) }
  }

  /// All that wait, the oldest first, and how many tables could not be read.
  ///
  /// - Parameter mayBlock: Whether to wait for locks. In a debugger, a thread that is stopped may hold one.
  static func entries(mayBlock: Bool) -> (all: [(record: Record, begin: Moment)], busyTables: Int) {
    // Copied under the lock, and described after unlocking: that may run the user's code.
    let copies = tables.map { $0.locked(mayBlock: mayBlock) { $0.all } }
    let all = copies.flatMap { $0 ?? [] }.sorted { $0.begin < $1.begin }
    return (all, copies.filter { $0 == nil }.count)
  }

  static func snapshot(mayBlock: Bool) -> (calls: [WaitingCall], busyTables: Int) {
    let (entries, busyTables) = entries(mayBlock: mayBlock)
    let now = Moment.now
    let calls = entries.map { record, begin in
      WaitingCall(
        callSite: record.callSite,
        kind: record.kind,
        state: record.wait?.progress(mayBlock: mayBlock)
          ?? (record.isOver?() == true ? .over : .waiting),
        seconds: Double(begin.nanoseconds(to: now)) / 1e9,
        secondsLeft: record.end.map { Double(now.nanoseconds(to: $0)) / 1e9 },
        taskName: record.taskName
      )
    }
    return (calls, busyTables)
  }
}

/// Reports each call that waits longer than a limit, once. One alarm serves all calls.
final class LongWaits: Sendable {
  static let all: LongWaits = LongWaits()

  private struct State: ~Copyable {
    var alarm = Alarm { LongWaits.all.ring() }
    var limit = Int64.max
    /// Calls that began before need no report any more.
    var reported = Moment(nanoseconds: .min)
  }

  private let state = Locked(initially: State())

  func report(after nanoseconds: Int64) {
    state.locked { state in
      state.limit = nanoseconds
      state.alarm.set(after: nanoseconds)
    }
  }

  private func ring() {
    // The alarm may ring on two threads at once: each reports what began in a time of its own.
    let (limit, reported, due) = state.locked { state in
      var due = Moment.now.advanced(by: -state.limit)
      if due < state.reported { due = state.reported }
      defer { state.reported = due }
      return (state.limit, state.reported, due)
    }
    let entries = Recorder.entries(mayBlock: true).all.filter { entry in
      if case .element = entry.record.kind { false } else { reported < entry.begin }
    }
    let next = entries.first { due < $0.begin }
    // Not more often than ten times for each limit: there may be many calls.
    let pause = max(next.map { due.nanoseconds(to: $0.begin) } ?? limit, limit / 10)
    state.locked { $0.alarm.set(after: pause) }
    for (record, begin) in entries where !(due < begin) {
      MisuseReport.send(.longWait, record.callSite, detail: "\(Timeout(nanoseconds: limit))")
    }
  }
}
