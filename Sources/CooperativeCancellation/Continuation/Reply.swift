public import CancellationInternals

/// The lock around a ``ReplyMachine``. While the task sleeps, only the completion closure owns the
/// reply, so its release reveals a drop. User values, user closures and the wait's lock are touched
/// only after unlocking.
@usableFromInline package struct Reply<Answer: Sendable>: Sendable, Hashable {
  @usableFromInline let contents: Locked<ReplyContents<Answer>>

  // Never inlined, because a sleeping task's frame would have room for several copies of the
  // contents.
  @_alwaysEmitIntoClient
  @inline(never)
  package init(_ callSite: CallSite, reportsDrop: Bool = false, _ discard: Discard<Answer>?) {
    contents = Locked(shared: ReplyContents(callSite, reportsDrop: reportsDrop, discard))
  }

  @usableFromInline package static func == (left: Reply, right: Reply) -> Bool {
    left.contents.buffer === right.contents.buffer
  }

  @usableFromInline
  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(contents.buffer)) }

  /// The SDK called the completion, on any thread. The reply keeps the answer until the task takes
  /// it; a second one is misuse. Returns whether this one decides how the call ends.
  ///
  /// The answer is moved, in and out. When the task wakes, this thread has no reference to it,
  /// whose release could run the `deinit` of a value that is not `Sendable` beside the task that
  /// uses what it refers to.
  @_alwaysEmitIntoClient
  @discardableResult
  package func answer(_ answer: consuming Answer) -> Bool {
    var answer: Answer? = answer
    switch contents.locked({ $0.answer(&answer) }) {
    case .keep:
      // The task has not begun to sleep, and finds the answer when `operation` has returned.
      return true
    case .wake(let wait):
      // If an interruption has ended the wait, the answer comes back out of the machine.
      let (counts, decides) = wait.receive(.answered(in: contents.erased))
      if !counts { discard(extract({ $0.take() })) }
      return decides
    case .discard:
      // `operation` threw after it had passed the completion to the SDK.
      discard(answer.take())
    case .reportAndDiscard:
      // The SDK has called the completion before.
      RuntimeIssue.send(.completionCalledAgain, callSite)
      discard(answer.take())
    }
    return false
  }

  /// The first half of `answer`, for a registry that calls this under its lock. A value that counts
  /// is moved out of the caller's variable; nothing is woken, discarded or reported. The second
  /// half follows after unlocking: whoever called this wakes the task, or decides what becomes of
  /// the value.
  @_alwaysEmitIntoClient
  package func accept(_ answer: inout Answer?) -> Acceptance {
    contents.locked { contents in
      contents.isAwaited = false
      return contents.machine.accept(&answer, in: self.contents.erased)
    }
  }

  /// The same, if no answer will come: an asynchronous `operation` has stopped, or a late answer is
  /// not expected anymore.
  @_alwaysEmitIntoClient
  package func stop() -> Acceptance {
    contents.locked { contents in
      contents.isAwaited = false
      return contents.machine.stop()
    }
  }

  /// For tests that try all orders of events, and restore states.
  @_alwaysEmitIntoClient
  package var machine: ReplyMachine<Answer> {
    get { contents.locked { $0.machine } }
    nonmutating set { contents.locked { $0.machine = newValue } }
  }

  /// Takes the answer out, if there is one.
  @_alwaysEmitIntoClient
  package func take() -> Answer? { extract { $0.take() } }

  /// `operation` has returned, and the task is about to sleep. Takes the answer out, if there is
  /// one; otherwise, the answer will wake the task through `wait`.
  @_alwaysEmitIntoClient
  @inline(never)
  package func takeOrAwait(by wait: Wait) -> Answer? {
    contents.locked { $0.takeOrAwait(by: wait) }
  }

  /// `operation` threw: the SDK's answer, earlier or later, is discarded.
  @_alwaysEmitIntoClient
  @inline(never)
  func operationThrew() { discard(extract({ $0.operationThrew() })) }

  /// Passes an event to the machine. What comes out is not released under the lock.
  @_alwaysEmitIntoClient
  @inline(never)
  func extract(_ body: (inout sending ReplyMachine<Answer>) -> sending Answer?) -> Answer? {
    contents.extract { body(&$0.machine) }
  }

  @_alwaysEmitIntoClient
  var callSite: CallSite { contents.locked { $0.callSite } }

  /// Passes an answer that no caller returns to `onDiscard`, with no lock held.
  @_alwaysEmitIntoClient
  package func discard(_ answer: consuming Answer?) {
    if let answer = consume answer { contents.locked { $0.discard }?(consume answer) }
  }
}

/// Copyable, because before macOS 15 a buffer of noncopyable contents cannot be cast.
@usableFromInline package struct ReplyContents<Answer: Sendable>: SharedContents {
  @usableFromInline let callSite: CallSite
  /// Whether the last release would be a drop. A copy of what the machine says, because reading it
  /// there would cost each answered call a look at a generic enumeration.
  ///
  /// Keep the two Booleans before `machine`, because code that does not know `Answer` then knows
  /// their offset.
  @usableFromInline var isAwaited = false
  /// Whether to report a drop, because the wait cannot throw an error for it.
  @usableFromInline let reportsDrop: Bool
  @usableFromInline let discard: Discard<Answer>?
  @usableFromInline var machine = ReplyMachine<Answer>.expected

  @_alwaysEmitIntoClient
  init(_ callSite: CallSite, reportsDrop: Bool, _ discard: Discard<Answer>?) {
    self.callSite = callSite
    self.reportsDrop = reportsDrop
    self.discard = discard
  }

  @_alwaysEmitIntoClient
  mutating func answer(_ answer: inout Answer?) -> ReplyMachine<Answer>.Action {
    isAwaited = false
    return machine.answer(&answer)
  }

  @_alwaysEmitIntoClient
  mutating func takeOrAwait(by wait: Wait) -> Answer? {
    let answer = machine.takeOrAwait(by: wait)
    isAwaited = if case .awaited = machine { true } else { false }
    return answer
  }

  @_alwaysEmitIntoClient
  package func lastReferenceWasReleased() {
    // Otherwise, the SDK answered, or `operation` threw.
    if isAwaited { drop() }
  }

  /// Wakes the task, then reports the drop on the current thread, so that a slow handler does not
  /// delay the task.
  @_alwaysEmitIntoClient
  func drop() {
    guard case .awaited(let wait) = machine else { return }
    if wait.receive(.dropped).decides, reportsDrop {
      RuntimeIssue.send(.completionDropped, callSite)
    }
  }
}

extension Reply {
  /// Takes the answer out of a reply. The wait does not know its type, but belongs to the same
  /// call, so the cast succeeds.
  @_alwaysEmitIntoClient
  @inline(never)
  package static func take(from reply: consuming AnyReply) -> Answer? {
    Locked(reply, in: SharedBuffer<ReplyContents<Answer>>.self)?.extract { $0.machine.take() }
  }
}
