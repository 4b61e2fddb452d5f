/// The lock around a ``ReplyMachine``. While the task sleeps, only the completion closure owns the reply. If the SDK
/// releases the closure without calling it, the reply is destroyed, which reveals a dropped completion.
///
/// User values, user closures and the wait's lock are touched only after unlocking.
@frozen
@usableFromInline
package struct Reply<Answer: Sendable>: Sendable {
  @usableFromInline let contents: LockedObject<ReplyContents<Answer>>

  // Never inlined: otherwise, the caller's frame, which a sleeping task keeps, has room for several copies of the
  // contents. They cannot be noncopyable, because a reference to them is cast, which needs macOS 15 on Apple's systems.
  @inlinable
  @inline(never)
  package init(
    _ callSite: CallSite,
    reportsDrop: Bool = false,
    _ discard: (@Sendable (Answer) -> Void)?
  ) {
    contents = LockedObject(shared: ReplyContents(callSite, reportsDrop: reportsDrop, discard))
  }

  @inlinable
  init(_ contents: LockedObject<ReplyContents<Answer>>) {
    self.contents = contents
  }

  /// The SDK called the completion, on any thread.
  ///
  /// The reply keeps the answer until the task takes it. A second answer is misuse. Returns whether this one decides how
  /// the call ends.
  @inlinable
  @discardableResult
  package func answer(_ answer: Answer) -> Bool {
    switch contents.locked({ $0.answer(answer) }) {
    case .keep:
      return true
    case .wake(let wait):
      let (counts, decides) = wait.receive(.answered(in: contents.erased))
      if !counts, let refused = extract({ $0.take() }) { discard(refused) }
      return decides
    case .discard:
      discard(answer)
    case .reportAndDiscard:
      RuntimeIssue.send(.completionCalledAgain, callSite)
      discard(answer)
    }
    return false
  }

  /// Takes the answer, if there is one.
  @inlinable
  @inline(__always)
  package func take() -> Answer? {
    extract { $0.take() }
  }

  /// Takes the answer, if there is one; otherwise the task waits.
  @inlinable
  @inline(never)
  func takeOrAwait(by wait: Wait) -> Answer? {
    contents.locked { $0.takeOrAwait(by: wait) }
  }

  /// `operation` threw: the SDK's answer, earlier or later, is discarded.
  @inlinable
  @inline(never)
  func operationThrew() {
    if let answer = extract({ $0.operationThrew() }) { discard(answer) }
  }

  /// Releases the result after unlocking, never before.
  @inlinable
  @inline(never)
  func extract(_ body: (inout sending ReplyMachine<Answer>) -> sending Answer?) -> Answer? {
    contents.extract { body(&$0.machine) }
  }

  @inlinable
  var callSite: CallSite { contents.locked { $0.callSite } }

  @inlinable
  func discard(_ answer: Answer) {
    contents.locked { $0.discard }?(answer)
  }
}

/// The value under the lock of a ``Reply``.
@frozen
@usableFromInline
package struct ReplyContents<Answer: Sendable>: SharedContents {
  @usableFromInline let callSite: CallSite
  // Avoids reading the machine at the end of an answered call. Before the machine, so that unspecialized code finds it
  // without a type lookup. The two Booleans fit into the padding after the call site.
  @usableFromInline var isAwaited = false
  /// Whether to report a drop, because the wait cannot throw an error for it.
  @usableFromInline let reportsDrop: Bool
  @usableFromInline let discard: (@Sendable (Answer) -> Void)?
  @usableFromInline var machine = ReplyMachine<Answer>.expected

  @inlinable
  init(
    _ callSite: CallSite,
    reportsDrop: Bool,
    _ discard: (@Sendable (Answer) -> Void)?
  ) {
    self.callSite = callSite
    self.reportsDrop = reportsDrop
    self.discard = discard
  }

  @inlinable
  mutating func answer(_ answer: Answer) -> ReplyMachine<Answer>.Action {
    isAwaited = false
    return machine.answer(answer)
  }

  @inlinable
  mutating func takeOrAwait(by wait: Wait) -> Answer? {
    let answer = machine.takeOrAwait(by: wait)
    isAwaited = if case .none = answer { true } else { false }
    return answer
  }

  @inlinable
  package func lastReferenceWasReleased() {
    // If the reply is not awaited, `operation` threw.
    if isAwaited { drop() }
  }

  /// Wakes the task, then reports the drop on the current thread: a slow handler does not delay the task.
  @inlinable
  func drop() {
    guard case .awaited(let wait) = machine else { return }
    if wait.receive(.dropped).decides, reportsDrop {
      RuntimeIssue.send(.completionDropped, callSite)
    }
  }
}

/// An object that contains an answer of any type: a ``Reply`` or a ``Carrier``.
@usableFromInline
package typealias AnyReply = AnyShared

/// Takes the answer out of a reply. A wait does not know the type, but its reply belongs to the same call, so the
/// cast succeeds.
@inlinable
@inline(never)
func take<Answer: Sendable>(from reply: consuming AnyReply) -> Answer? {
  guard let contents = LockedObject<ReplyContents<Answer>>(reply) else { return nil }
  return Reply(contents).take()
}

@inlinable
package func carrier<Answer: Sendable>(of answer: Answer) -> AnyReply { AnyReply(Carrier(answer)) }

@inlinable
package func carried<Answer: Sendable>(by carrier: AnyReply) -> Answer? {
  (carrier.object as? Carrier<Answer>)?.answer
}
