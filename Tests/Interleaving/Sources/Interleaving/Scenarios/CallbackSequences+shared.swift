import CallbackSequences
import CooperativeCancellation

extension Scenario {
  static let sharedSequences =
    [false, true].map(joinAndYield)
    + [
      leave, leaveAndJoin, twoThreads, insideRegistration, endInsideRegistration,
      registrationThrows, onMainActor,
    ]

  /// A second reader joins at any point after the first.
  private static func joinAndYield(replays: Bool) -> Scenario {
    var outcomes: Set = [
      "a 1 2 end, b 1 2 end", "a 1 2 end, b 2 end", "a 1 2 end, b 3 4 end, 2 registrations",
    ]
    if !replays { outcomes.insert("a 1 2 end, b end") }
    return Scenario(
      "shared\(replays ? ", replay" : ""): yield, join, yield, finish",
      outcomes: outcomes
    ) { run in
      let feed = Feed(in: run, isShared: true)
      feed.share(replayingLatest: replays) { callbacks in
        if feed.registrations == 1 { feed.join("b") }
        run.thread("SDK") {
          callbacks.yield(feed.element())
          callbacks.yield(feed.element())
          callbacks.finish(nil)
        }
      }
      feed.join("a")
    }
  }

  /// One of two readers is cancelled, and the other one reads on.
  private static let leave = Scenario(
    "shared: yield, leave, yield, finish",
    outcomes: [
      "b 1 2 end", "b 2 end", "b 2 3 end, 2 registrations", "b 3 4 end, 2 registrations",
    ]
  ) { run in
    let feed = Feed(in: run, isShared: true, unwatched: "a")
    let reader = Shared<Task<Void, Never>?>(nil)
    feed.share { callbacks in
      if feed.registrations == 1 { feed.join("b") }
      run.thread("SDK") {
        callbacks.yield(feed.element())
        reader.value?.cancel()
        callbacks.yield(feed.element())
        callbacks.finish(nil)
      }
    }
    reader.value = feed.join("a")
    run.atEnd { reader.value = nil }
  }

  /// The last reader leaves while another one joins: the SDK has one slot, and calls back after the
  /// end.
  private static let leaveAndJoin = Scenario(
    "shared: yield, break, join, late yield",
    outcomes: [
      "a 1 break, b 1 break", "a 1 break, b 2 break", "a 1 break, b 2 break, 2 registrations",
      "a 1 break, b 3 break, 2 registrations", "a 1 break, b end",
    ]
  ) { run in
    let feed = Feed(in: run, isShared: true)
    feed.share { callbacks in
      if feed.registrations == 1 { feed.join("b", atMost: 1) }
      run.thread("SDK") {
        callbacks.yield(feed.element())
        callbacks.yield(feed.element())
      }
    }
    feed.join("a", atMost: 1)
  }

  /// Both readers get the elements in one order: the first one makes the SDK call back while
  /// another thread does.
  private static let twoThreads = Scenario(
    "shared: join, yield, yield",
    outcomes: [
      "a 1 2 end, b 1 2 end", "a 1 2 end, b 2 end", "a 1 2 end, b end",
      "a 1 2 end, b end, 2 registrations",
    ]
  ) { run in
    let feed = Feed(in: run, isShared: true)
    let callbacks = Shared<Feed.Callbacks?>(nil)
    feed.share {
      guard feed.registrations == 1 else { return }
      callbacks.value = $0
      feed.join("b")
      run.thread("SDK") { callbacks.value?.yield(feed.element()) }
    }
    feed.join("a") { _ in
      if let callbacks = callbacks.value.take() { callbacks.yield(feed.element()) }
    }
  }

  private static let insideRegistration = Scenario(
    "shared: join, yield inside the registration, yield",
    outcomes: [
      "a 1 2 end, b 1 2 end", "a 1 2 end, b 2 end", "a 1 2 end, b end",
      "a 1 2 end, b end, 2 registrations", "a 2 1 end, b 2 1 end",
      "a 2 1 end, b end, 2 registrations",
    ]
  ) { run in
    let feed = Feed(in: run, isShared: true)
    feed.share { callbacks in
      guard feed.registrations == 1 else { return }
      feed.join("b")
      run.thread("SDK") { callbacks.yield(feed.element()) }
      callbacks.yield(feed.element())
    }
    feed.join("a")
  }

  private static let endInsideRegistration = Scenario(
    "shared: join, yield and finish inside the registration",
    outcomes: ["a 1 end, b 1 end", "a 1 end, b 2 end, 2 registrations"]
  ) { run in
    let feed = Feed(in: run, isShared: true)
    feed.share { callbacks in
      if feed.registrations == 1 { feed.join("b") }
      callbacks.yield(feed.element())
      callbacks.finish(nil)
    }
    feed.join("a")
  }

  /// The error reaches all who wait. A later reader registers again.
  private static let registrationThrows = Scenario(
    "shared: registration throws, yield, join",
    outcomes: ["a error, b error", "a error, b error, 2 registrations"]
  ) { run in
    let feed = Feed(in: run, isShared: true)
    feed.share { callbacks in
      callbacks.yield(feed.element())
      run.step("in the registration")
      throw SDKError()
    }
    feed.join("a")
    feed.join("b")
  }

  private static let onMainActor = Scenario(
    "shared, main: yield, break",
    outcomes: ["1 break"]
  ) { run in
    let feed = Feed(in: run, home: .main, isShared: true)
    run.task("reader") {
      let sequence = await feed.sequenceOnMainActor { callbacks in
        run.thread("SDK") { callbacks.yield(feed.element()) }
      }.shared()
      await feed.read(sequence, atMost: 1)
    }
  }
}

extension Feed {
  fileprivate func share(
    replayingLatest replays: Bool = false,
    _ register: @escaping @Sendable (Callbacks) throws -> Void
  ) {
    let sequence = SendableCallbackSequence { self.sequence(isolation: nil, register) }
      .shared(replayingLatest: replays)
    shared = sequence
    run.atEnd { self.shared = nil }
  }

  /// Makes a task that reads the shared sequence.
  @discardableResult
  fileprivate func join(
    _ reader: String,
    atMost most: Int = .max,
    onElement: @escaping @Sendable (Tracked) -> Void = { _ in }
  ) -> Task<Void, Never> {
    run.task(reader) {
      guard let sequence = self.shared else { return }
      await self.read(sequence, as: reader, atMost: most, onElement: onElement)
    }
  }
}
