import CallbackSequences
import CooperativeCancellation

extension Scenario {
  static let streams =
    [keptStream, releasedStream, throwingStream, throwingStreamRegistrationThrows]
    + [streamOfMainActor, sendableStream, sharedStream]
    + [started, startedAndReleased]

  // MARK: Standard streams

  /// Its reader is cancelled: that ends the registration, although something keeps the stream.
  private static let keptStream = Scenario(
    "stream, kept: yield, yield, cancellation",
    outcomes: ["1 2 end", "1 end, discarded 2", "end, discarded 1 2"]
  ) { run in
    let feed = Feed(in: run)
    let stream = Shared<AsyncStream<Tracked>?>(
      feed.stream { yield, _ in
        run.thread("SDK") {
          yield(feed.element())
          yield(feed.element())
        }
      }
    )
    let reader = run.task("reader") {
      if let stream = stream.value { await feed.read(stream) }
    }
    run.thread("canceller") { reader.cancel() }
    run.atEnd { stream.value = nil }
  }

  private static let releasedStream = Scenario(
    "stream: yield, finish, release",
    outcomes: ["discarded 1"]
  ) { run in
    let feed = Feed(in: run)
    let stream = Shared<AsyncStream<Tracked>?>(
      feed.stream { yield, finish in
        run.thread("SDK") {
          yield(feed.element())
          finish()
        }
      }
    )
    run.thread("owner") { stream.value = nil }
  }

  /// The cancellation of one reader ends the stream for both.
  private static let throwingStream = Scenario(
    "stream, throwing, two readers: yield, cancellation, yield",
    outcomes: [
      "a 1 end, b 2 end", "a 1 end, b end, discarded 2", "a end, b 1 2 end",
      "a end, b 1 end, discarded 2", "a end, b end, discarded 1 2",
    ]
  ) { run in
    let feed = Feed(in: run)
    let reader = Shared<Task<Void, Never>?>(nil)
    let stream = feed.throwingStream { callbacks in
      run.thread("SDK") {
        callbacks.yield(feed.element())
        reader.value?.cancel()
        callbacks.yield(feed.element())
      }
    }
    reader.value = run.task("a") { await feed.read(stream, as: "a") }
    run.task("b") { await feed.read(stream, as: "b") }
  }

  private static let throwingStreamRegistrationThrows = Scenario(
    "stream, throwing: registration throws, yield, cancellation",
    outcomes: ["end, discarded 1", "error, discarded 1"]
  ) { run in
    let feed = Feed(in: run)
    let reader = run.task("reader") {
      let stream = feed.throwingStream { callbacks in
        run.thread("SDK") { callbacks.yield(feed.element()) }
        run.step("in the registration")
        throw SDKError()
      }
      await feed.read(stream)
    }
    run.thread("canceller") { reader.cancel() }
  }

  /// It registers now, and is read elsewhere.
  private static let streamOfMainActor = Scenario(
    "stream, main: yield, finish, cancellation",
    outcomes: ["1 end", "end, discarded 1"]
  ) { run in
    let feed = Feed(in: run, home: .main)
    let reader = run.task("reader") {
      let stream = await feed.streamOnMainActor { callbacks in
        run.thread("SDK") {
          callbacks.yield(feed.element())
          callbacks.finish(nil)
        }
      }
      await feed.read(stream)
    }
    run.thread("canceller") { reader.cancel() }
  }

  /// It registers at the first read.
  private static let sendableStream = Scenario(
    "stream, sendable, main: yield, finish, cancellation",
    outcomes: ["1 end", "end early, discarded 1", "end, discarded 1", "end, not registered"]
  ) { run in
    let feed = Feed(in: run, home: .main)
    let reader = run.task("reader") {
      let stream = await feed.sequenceOnMainActor { callbacks in
        run.thread("SDK") {
          callbacks.yield(feed.element())
          callbacks.finish(nil)
        }
      }.asyncThrowingStream()
      await feed.read(stream)
    }
    run.thread("canceller") { reader.cancel() }
  }

  private static let sharedStream = Scenario(
    "stream, shared: yield, break",
    outcomes: ["1 break"]
  ) { run in
    let feed = Feed(in: run, isShared: true)
    let stream = SendableCallbackSequence {
      feed.sequence(isolation: nil) { callbacks in
        run.thread("SDK") { callbacks.yield(feed.element()) }
      }
    }.shared().asyncThrowingStream()
    run.task("reader") { await feed.read(stream, atMost: 1) }
  }

  // MARK: Started sequences

  /// It registers in a cancelled task, too.
  private static let started = Scenario(
    "started: yield, finish, cancellation",
    outcomes: ["1 cancelled", "1 end", "cancelled, discarded 1"]
  ) { run in
    let feed = Feed(in: run)
    let reader = run.task("reader") {
      let sequence = feed.sequence { callbacks in
        run.thread("SDK") {
          callbacks.yield(feed.element())
          callbacks.finish(nil)
        }
      }
      if let iterator = try? sequence.started() { await feed.read(iterator) }
    }
    run.thread("canceller") { reader.cancel() }
  }

  /// Another thread releases what no task has read.
  private static let startedAndReleased = Scenario(
    "started, main: yield, finish, release elsewhere",
    outcomes: ["discarded 1"]
  ) { run in
    let feed = Feed(in: run, home: .main)
    run.task("screen") { @MainActor in
      let sequence = feed.sequence { callbacks in
        run.thread("SDK") {
          callbacks.yield(feed.element())
          callbacks.finish(nil)
        }
      }
      let iterator = Shared(try? sequence.started())
      run.thread("owner") { iterator.value = nil }
    }
  }
}

extension Feed {
  fileprivate func stream(
    _ register: (@escaping @Sendable (Tracked) -> Void, @escaping @Sendable () -> Void) -> Void
  ) -> AsyncStream<Tracked> {
    AsyncStream(buffering: .unbounded) { yield, finish in
      self.register { register(yield, finish) }
    } onTermination: { token in
      self.onTermination(token)
    } onDiscard: {
      self.onDiscard($0)
    }
  }

  fileprivate func throwingStream(
    _ register: (Callbacks) throws -> Void
  ) -> AsyncThrowingStream<Tracked, any Error> {
    AsyncThrowingStream(buffering: .unbounded) { yield, finish in
      try self.register { try register(Callbacks(yield: yield, finish: finish)) }
    } onTermination: { token in
      self.onTermination(token)
    } onDiscard: {
      self.onDiscard($0)
    }
  }

  @MainActor
  fileprivate func streamOnMainActor(
    _ register: @escaping @Sendable (Callbacks) throws -> Void
  ) -> AsyncThrowingStream<Tracked, any Error> { sequence(register).asyncThrowingStream() }
}
