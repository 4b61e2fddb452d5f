internal import CancellationInternals

@usableFromInline
package enum Recorder {
  /// A waiting call. It keeps the wait and not the reply, so that a dropped completion is still noticed.
  final class Record: Sendable {
    let kind: WaitingCall.Kind
    let callSite: CallSite
    let end: Moment?
    let progress: @Sendable (_ mayBlock: Bool) -> WaitingCall.State
    let taskName: String?

    init(
      _ kind: WaitingCall.Kind,
      _ callSite: CallSite,
      until deadline: Deadline?,
      _ progress: @escaping @Sendable (_ mayBlock: Bool) -> WaitingCall.State
    ) {
      (self.kind, self.callSite, self.progress) = (kind, callSite, progress)
      end = if case .at(let moment)? = deadline { moment } else { nil }
      if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
        taskName = Task.name
      } else {
        taskName = nil
      }
    }
  }

  typealias Entry = (record: Record, begin: Moment)

  /// Several, so that threads rarely wait for each other.
  static let tables = (0..<16).map { _ in Locked(initially: Slots<Entry>()) }

  /// Cancelled means on. A task is the flag, because Apple's systems have no atomics before macOS 15 and iOS 18.
  static let recording: Task<Void, Never> = {
    let recording = Task<Void, Never>.detached {}
    #if DEBUG
      recording.cancel()
    #endif
    for waits in [LongWaits.reported, .fatal] where waits.environmentLimit != nil {
      recording.cancel()
      waits.set(nil)
    }
    return recording
  }()

  @usableFromInline package static var isOn: Bool { recording.isCancelled }

  /// Where a waiting call is in the tables, if it is recorded. A sleeping task's frame keeps it, so it has 32 bits.
  @usableFromInline
  package struct Place: Sendable {
    /// The slot, and in the lowest four bits the table; negative if the call is not recorded.
    @usableFromInline let number: Int32

    @_alwaysEmitIntoClient
    init(number: Int32) { self.number = number }

    @_alwaysEmitIntoClient
    package static var none: Place { Place(number: -1) }

    package var table: Int { Int(number & 15) }

    /// The task has read how its call ended.
    @_alwaysEmitIntoClient
    @inline(__always)
    package func leave() {
      if number >= 0 { remove() }
    }

    @usableFromInline
    func remove() {
      // Released after unlocking: the id belongs to the user.
      _ = Recorder.tables[table].extract { $0.remove(Int(number >> 4)) }
    }
  }

  /// A call is about to wait.
  @usableFromInline
  @inline(never)
  package static func add(
    _ kind: consuming WaitingCall.Kind,
    _ callSite: CallSite,
    until deadline: Deadline? = nil,
    _ progress: consuming @escaping @Sendable (_ mayBlock: Bool) -> WaitingCall.State
  ) -> Place {
    let record = Record(kind, callSite, until: deadline, progress)
    // Neighboring objects differ in these bits.
    let number = Int(bitPattern: ObjectIdentifier(record)) >> 5 & 15
    // The time is read under the lock, so a report that has looked at a later time has seen the call.
    let slot = tables[number].locked { $0.insert((record, .now)) }
    return Place(number: Int32(truncatingIfNeeded: slot << 4 | number))
  }

  /// The waiting calls, oldest first, and how many tables could not be read: in a debugger, this must not wait for a
  /// lock, which a stopped thread may hold.
  static func snapshot(mayBlock: Bool) -> (calls: [WaitingCall], busyTables: Int) {
    // Copied under the lock, and described after unlocking, which may run the user's code. Copied twice: what is in
    // both was waiting at one time, between them.
    let copies = (0..<2).map { _ in tables.map { $0.locked(mayBlock: mayBlock) { $0.all } } }
    let still = Set(copies[1].compactMap { $0 }.joined().map { ObjectIdentifier($0.record) })
    let entries = copies[0].compactMap { $0 }.joined().filter { still.contains(.init($0.record)) }
    let now = Moment.now
    let calls = entries.sorted { $0.begin < $1.begin }.map { record, begin in
      WaitingCall(
        callSite: record.callSite,
        kind: record.kind,
        state: record.progress(mayBlock),
        seconds: Double(begin.nanoseconds(to: now)) / 1e9,
        secondsLeft: record.end.map { Double(now.nanoseconds(to: $0)) / 1e9 },
        taskName: record.taskName,
        begin: begin
      )
    }
    return (calls, copies.map { $0.count { $0 == nil } }.max() ?? 0)
  }
}
