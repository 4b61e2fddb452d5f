// A reply is one object: a lock around the machine, and a check of the machine when the last reference is released.
// There are two versions, because the lock differs on Apple's platforms.

#if !LOCK_BUFFER && !canImport(Darwin)

  @frozen
  @usableFromInline
  package struct ReplyContents<Answer: Sendable>: ~Copyable, SharedContents {
    @usableFromInline let callSite: CallSite
    @usableFromInline let discard: (@Sendable (Answer) -> Void)?
    /// Whether to report a drop, because the wait throws no error for it.
    @usableFromInline let reportsDrop: Bool
    @usableFromInline let machine: Locked<ReplyMachine<Answer>>

    // Avoids reading the machine before the wait and at the end of an answered call, where the code is not
    // specialized (see `Shared`).
    @usableFromInline let wasCalled: Flag

    @inlinable
    package init(
      _ callSite: CallSite,
      reportsDrop: Bool = false,
      _ discard: (@Sendable (Answer) -> Void)?
    ) {
      self.callSite = callSite
      self.discard = discard
      self.reportsDrop = reportsDrop
      self.machine = Locked(initially: .expected)
      self.wasCalled = Flag()
    }

    @inlinable
    package func lastReferenceWasReleased() {
      if !wasCalled.isRaised { drop() }
    }

    @inlinable
    func drop() {
      let waiter: Wait? = machine.locked { machine in
        if case .awaited(let wait) = machine { wait } else { nil }
      }
      // If the reply is not awaited, `operation` threw.
      if let waiter { report(dropTo: waiter) }
    }
  }

  /// An object that contains an answer of any type: a ``Reply`` or a ``Carrier``.
  @usableFromInline
  package typealias AnyReply = any AnyObject & Sendable

  @usableFromInline
  package typealias ReplyReference = Shared

  extension ReplyReference where Contents: ~Copyable {
    @inlinable
    @inline(__always)
    package convenience init<Answer>(
      _ callSite: CallSite,
      reportsDrop: Bool = false,
      _ discard: (@Sendable (Answer) -> Void)?
    ) where Contents == ReplyContents<Answer> {
      self.init(ReplyContents(callSite, reportsDrop: reportsDrop, discard))
    }

    @inlinable
    func callSite<Answer>() -> CallSite where Contents == ReplyContents<Answer> {
      contents.callSite
    }

    @inlinable
    func discard<Answer>(_ answer: Answer) where Contents == ReplyContents<Answer> {
      contents.discard?(answer)
    }

    /// The SDK called the completion.
    @inlinable
    @inline(__always)
    func settle<Answer>(_ answer: Answer) -> ReplyMachine<Answer>.Action
    where Contents == ReplyContents<Answer> {
      contents.wasCalled.raise()
      return withMachine { $0.answer(answer) }
    }

    /// Takes the answer, if there is one.
    @inlinable
    @inline(__always)
    func take<Answer>() -> Answer? where Contents == ReplyContents<Answer> {
      contents.wasCalled.isRaised ? extract { $0.take() } : nil
    }

    /// Releases the result after unlocking, never before.
    @inlinable
    @inline(never)
    func extract<Answer>(
      _ body: (inout sending ReplyMachine<Answer>) -> sending Answer?
    ) -> Answer? where Contents == ReplyContents<Answer> {
      contents.machine.extract(body)
    }

    @inlinable
    @inline(__always)
    func withMachine<Answer, Result>(
      _ body: (inout sending ReplyMachine<Answer>) -> sending Result
    ) -> sending Result where Contents == ReplyContents<Answer> {
      contents.machine.locked(body)
    }

    /// Takes the answer, if there is one; otherwise the task waits.
    @inlinable
    @inline(never)
    func takeOrAwait<Answer>(by wait: Wait) -> Answer? where Contents == ReplyContents<Answer> {
      withMachine { $0.takeOrAwait(by: wait) }
    }

    @inlinable
    package func erased<Answer>() -> AnyReply where Contents == ReplyContents<Answer> { self }
  }

  /// Takes the answer out of a reply. A wait does not know the type, but its reply belongs to the same call, so the
  /// cast succeeds.
  @inlinable
  @inline(never)
  func take<Answer: Sendable>(from reply: AnyReply) -> Answer? {
    typed(reply)?.extract { $0.take() }
  }

  /// Casts a reply to its type.
  @inlinable
  func typed<Answer: Sendable>(_ reply: AnyReply) -> Reply<Answer>? {
    reply as? Reply<Answer>
  }

  @inlinable
  package func carrier<Answer: Sendable>(of answer: Answer) -> AnyReply { Carrier(answer) }

  @inlinable
  package func carried<Answer: Sendable>(by carrier: AnyReply) -> Answer? {
    (carrier as? Carrier<Answer>)?.answer
  }

#else

  /// The value under the lock of a ``Reply``.
  @frozen
  @usableFromInline
  package struct ReplyContents<Answer: Sendable>: SharedContents {
    // Avoids reading the machine at the end of an answered call. The first property, so that code which is not
    // specialized finds it without a type lookup.
    @usableFromInline var isAwaited = false
    @usableFromInline let callSite: CallSite
    @usableFromInline let discard: (@Sendable (Answer) -> Void)?
    /// Whether to report a drop, because the wait throws no error for it.
    @usableFromInline let reportsDrop: Bool
    @usableFromInline var machine = ReplyMachine<Answer>.expected

    @inlinable
    package init(
      _ callSite: CallSite,
      reportsDrop: Bool = false,
      _ discard: (@Sendable (Answer) -> Void)?
    ) {
      self.callSite = callSite
      self.discard = discard
      self.reportsDrop = reportsDrop
    }

    @inlinable
    package func lastReferenceWasReleased() {
      if isAwaited { drop() }
    }

    @inlinable
    func drop() {
      if case .awaited(let wait) = machine { report(dropTo: wait) }
    }
  }

  /// A reference to a value under a lock.
  @frozen
  @usableFromInline
  package struct ReplyReference<Contents: SharedContents & ~Copyable>: Sendable {
    @usableFromInline let contents: Locked<Contents>

    @inlinable
    package init(_ contents: consuming Contents) {
      self.contents = Locked(contents, in: SharedBuffer<Contents>.self)
    }

    @inlinable
    init(_ buffer: SharedBuffer<Contents>) {
      contents = Locked(buffer)
    }
  }

  extension ReplyReference where Contents: ~Copyable {
    // Never inlined: the frame of the caller, which a sleeping task keeps, would have room for several copies of the
    // contents. They cannot be noncopyable, because a reference to them is cast, which needs macOS 15.
    @inlinable
    @inline(never)
    package init<Answer>(
      _ callSite: CallSite,
      reportsDrop: Bool = false,
      _ discard: (@Sendable (Answer) -> Void)?
    ) where Contents == ReplyContents<Answer> {
      self.init(ReplyContents(callSite, reportsDrop: reportsDrop, discard))
    }

    @inlinable
    func callSite<Answer>() -> CallSite where Contents == ReplyContents<Answer> {
      contents.locked { $0.callSite }
    }

    @inlinable
    func discard<Answer>(_ answer: Answer) where Contents == ReplyContents<Answer> {
      contents.locked { $0.discard }?(answer)
    }

    /// The SDK called the completion.
    @inlinable
    func settle<Answer>(_ answer: Answer) -> ReplyMachine<Answer>.Action
    where Contents == ReplyContents<Answer> {
      contents.locked { contents in
        contents.isAwaited = false
        return contents.machine.answer(answer)
      }
    }

    /// Takes the answer, if there is one.
    @inlinable
    @inline(__always)
    func take<Answer>() -> Answer? where Contents == ReplyContents<Answer> {
      extract { $0.take() }
    }

    /// Releases the result after unlocking, never before.
    @inlinable
    @inline(never)
    func extract<Answer>(
      _ body: (inout sending ReplyMachine<Answer>) -> sending Answer?
    ) -> Answer? where Contents == ReplyContents<Answer> {
      contents.extract { body(&$0.machine) }
    }

    /// Takes the answer, if there is one; otherwise the task waits.
    @inlinable
    @inline(never)
    func takeOrAwait<Answer>(by wait: Wait) -> Answer? where Contents == ReplyContents<Answer> {
      contents.locked { contents in
        let answer = contents.machine.takeOrAwait(by: wait)
        contents.isAwaited = if case .none = answer { true } else { false }
        return answer
      }
    }

    @inlinable
    func withMachine<Answer, Result>(
      _ body: (inout sending ReplyMachine<Answer>) -> sending Result
    ) -> sending Result where Contents == ReplyContents<Answer> {
      contents.locked { body(&$0.machine) }
    }

    @inlinable
    package func erased<Answer>() -> AnyReply where Contents == ReplyContents<Answer> {
      AnyReply(buffer: contents.buffer)
    }
  }

  /// An object that contains an answer of any type: a ``Reply`` or a ``Carrier``.
  @usableFromInline
  package typealias AnyReply = AnyLocked

  @inlinable
  @inline(never)
  func take<Answer: Sendable>(from reply: AnyReply) -> Answer? {
    typed(reply)?.extract { $0.take() }
  }

  /// Casts a reply to its type.
  @inlinable
  func typed<Answer: Sendable>(_ reply: AnyReply) -> Reply<Answer>? {
    (reply.buffer as? SharedBuffer<ReplyContents<Answer>>).map { ReplyReference($0) }
  }

  @inlinable
  package func carrier<Answer: Sendable>(of answer: Answer) -> AnyReply {
    AnyReply(buffer: Carrier(answer))
  }

  @inlinable
  package func carried<Answer: Sendable>(by carrier: AnyReply) -> Answer? {
    (carrier.buffer as? Carrier<Answer>)?.answer
  }

#endif

@usableFromInline
package typealias Reply<Answer: Sendable> = ReplyReference<ReplyContents<Answer>>

extension ReplyContents {
  /// Wakes the task, then reports the drop on the current thread: a slow handler does not delay the task.
  @inlinable
  func report(dropTo wait: Wait) {
    if wait.hearDrop(), reportsDrop { MisuseReport.send(.completionDropped, callSite) }
  }
}
