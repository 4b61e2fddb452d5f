public import CancellationInternals

@usableFromInline package enum Recorder {
  /// A waiting call. It keeps the wait and not the reply, so that a dropped completion is still
  /// noticed.
  @usableFromInline final class Record: Sendable {
    @usableFromInline let kind: WaitingCall.Kind
    @usableFromInline let callSite: CallSite
    @usableFromInline let end: Moment?
    @usableFromInline let progress: @Sendable (_ mayBlock: Bool) -> WaitingCall.State
    @usableFromInline let taskName: String?

    init(
      _ kind: WaitingCall.Kind,
      _ callSite: CallSite,
      until deadline: Deadline?,
      in taskName: String?,
      _ progress: @escaping @Sendable (_ mayBlock: Bool) -> WaitingCall.State
    ) {
      self.kind = kind
      self.callSite = callSite
      self.taskName = taskName
      end = if case .at(let moment)? = deadline { moment } else { nil }
      self.progress = progress
    }
  }

  @usableFromInline typealias Entry = (record: Record, begin: Moment)

  /// Several, so that threads rarely wait for each other.
  @usableFromInline static let tables = (0..<16).map { _ in Locked(initially: Slots<Entry>()) }

  /// Cancelled means on. A task is the flag, because Apple's systems have no atomics before macOS
  /// 15 and iOS 18.
  @usableFromInline static let recording: Task<Void, Never> = {
    let recording = Task<Void, Never>.detached {}
    #if DEBUG
      recording.cancel()
      LongWaits.startByEnvironment()
    #else
      if LongWaits.environmentHasLimit, !isListUsed.locked({ $0 }) {
        printToStandardError(hasNoList)
      }
    #endif
    return recording
  }()

  /// Whether the program has used the list of waiting calls, whose code is emitted into it.
  @usableFromInline static let isListUsed = Locked(initially: false)

  private static let hasNoList = """
    CooperativeCancellation: the limits of the environment need code that this release build has not used before its \
    first wait: call `WaitingCalls.startRecording()` at launch, or link CooperativeCancellationTesting, whose functions \
    start them
    """

  @usableFromInline package static var isOn: Bool { recording.isCancelled }

  /// Where a waiting call is in the tables, if it is recorded. A sleeping task's frame keeps it, so
  /// it has 32 bits.
  @usableFromInline package struct Place: Sendable {
    /// The slot, and in the lowest four bits the table; negative if the call is not recorded.
    @usableFromInline let number: Int32

    init(slot: Int, table: Int) { number = Int32(truncatingIfNeeded: slot << 4 | table) }

    @_alwaysEmitIntoClient
    init(number: Int32) { self.number = number }

    @_alwaysEmitIntoClient
    package static var none: Place { Place(number: -1) }

    package var table: Int { Int(number & 15) }
    private var slot: Int { Int(number >> 4) }

    /// The task has read how its call ended.
    @_alwaysEmitIntoClient
    package func leave() {
      if number >= 0 { removeRecord() }
    }

    @usableFromInline func removeRecord() {
      // Released after unlocking, because the id belongs to the user.
      _ = Recorder.tables[table].extract { $0.remove(slot) }
    }
  }

  /// A call is about to wait.
  @inline(never)
  @usableFromInline package static func add(
    _ kind: consuming WaitingCall.Kind,
    _ callSite: CallSite,
    until deadline: Deadline? = nil,
    _ progress: consuming @escaping @Sendable (_ mayBlock: Bool) -> WaitingCall.State
  ) -> Place {
    var taskName: String?
    if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) { taskName = Task.name }
    let record = Record(kind, callSite, until: deadline, in: taskName, progress)
    // By the line, and not by an address, so that the same calls are always in the same tables.
    let table = Int(callSite.line & 15)
    // The time is read under the lock, so a report that has looked at a later time has seen the
    // call.
    let slot = tables[table].locked { $0.insert((record, .now)) }
    return Place(slot: slot, table: table)
  }
}
