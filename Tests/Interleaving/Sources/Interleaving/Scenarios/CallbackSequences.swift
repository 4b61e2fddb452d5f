import CallbackSequences
import CooperativeCancellation

extension Scenario {
  static let sequences =
    Feed.End.allCases.map(endAndCancellation)
    + [twoThreads, breakOut, registrationThrows, insideRegistration]
    + [BufferingPolicy.newest(1), .oldest(1), .unbounded].map(buffer)
    + Feed.End.allCases.map(onMainActor)
    + [readerElsewhere, cancelledReaderElsewhere, brokenReaderElsewhere, throwingHome]
    + [copies, copiesElsewhere, cancelledCopy]

  // MARK: Without a home

  private static func endAndCancellation(_ end: Feed.End) -> Scenario {
    let word = end == .error ? "error" : "end"
    var outcomes: Set = [
      "1 \(word)", "1 cancelled", "cancelled, discarded 1", "cancelled, not registered",
    ]
    // The SDK has ended it before its other thread can yield.
    outcomes.formUnion(end == .drop ? ["end", "cancelled"] : ["\(word), discarded 1"])
    return Scenario("sequence: yield, \(end), cancellation", outcomes: outcomes) { run in
      let feed = Feed(in: run)
      let reader = run.task("reader") {
        await feed.read(
          feed.sequence { callbacks in
            let callbacks = Shared<Feed.Callbacks?>(callbacks)
            run.thread("SDK") {
              if let yield = callbacks.value?.yield { yield(feed.element()) }
            }
            run.thread("SDK's end") { feed.end(end, of: callbacks) }
          }
        )
      }
      run.thread("canceller") { reader.cancel() }
    }
  }

  private static let twoThreads = Scenario(
    "sequence: yield, yield, finish",
    outcomes: ["1 2 end", "1 end, discarded 2", "2 1 end", "2 end, discarded 1"]
  ) { run in
    let feed = Feed(in: run)
    run.task("reader") {
      await feed.read(
        feed.sequence { callbacks in
          run.thread("SDK") { callbacks.yield(feed.element()) }
          run.thread("other SDK") {
            callbacks.yield(feed.element())
            callbacks.finish(nil)
          }
        }
      )
    }
  }

  /// The SDK asks whether to go on.
  private static let breakOut = Scenario(
    "sequence: yield, break, yield",
    outcomes: ["1 break, discarded 2"]
  ) { run in
    let feed = Feed(in: run)
    run.task("reader") {
      let sequence = AsyncCallbackSequence(buffering: .unbounded) {
        (yield: @escaping @Sendable (Tracked) -> Bool) in
        feed.register {
          run.thread("SDK") {
            run.expect(yield(feed.element()) || feed.hasEnded, "must stop, but is being read")
            let hadEnded = feed.hasEnded
            run.expect(!yield(feed.element()) || !hadEnded, "may go on, but is not read")
          }
        }
      } onTermination: {
        feed.onTermination($0)
      } onDiscard: {
        feed.onDiscard($0)
      }
      await feed.read(sequence, atMost: 1)
    }
  }

  /// What it has yielded is discarded, and `onTermination` does not run.
  private static let registrationThrows = Scenario(
    "sequence: registration throws, yield, cancellation",
    outcomes: ["cancelled, not registered", "error, discarded 1"]
  ) { run in
    let feed = Feed(in: run)
    let reader = run.task("reader") {
      await feed.read(
        feed.sequence { callbacks in
          run.thread("SDK") { callbacks.yield(feed.element()) }
          run.step("in the registration")
          throw SDKError()
        }
      )
    }
    run.thread("canceller") { reader.cancel() }
  }

  private static let insideRegistration = Scenario(
    "sequence: yield and finish inside the registration, cancellation",
    outcomes: ["1 end", "cancelled, discarded 1", "cancelled, not registered"]
  ) { run in
    let feed = Feed(in: run)
    let reader = run.task("reader") {
      await feed.read(
        feed.sequence { callbacks in
          callbacks.yield(feed.element())
          callbacks.finish(nil)
        }
      )
    }
    run.thread("canceller") { reader.cancel() }
  }

  private static func buffer(_ policy: BufferingPolicy) -> Scenario {
    let outcomes: Set<String> =
      switch policy {
      case .newest: ["1 2 end", "2 end, discarded 1"]
      case .oldest: ["1 2 end", "1 end, discarded 2"]
      case .unbounded: ["1 2 end"]
      @unknown default: fatalError("a new case needs outcomes of its own")
      }
    return Scenario("sequence, \(policy): yield, yield, finish", outcomes: outcomes) { run in
      let feed = Feed(in: run)
      run.task("reader") {
        await feed.read(
          feed.sequence(buffering: policy) { callbacks in
            run.thread("SDK") {
              for _ in 0..<2 { callbacks.yield(feed.element()) }
              callbacks.finish(nil)
            }
          }
        )
      }
    }
  }

  // MARK: With a home

  private static func onMainActor(_ end: Feed.End) -> Scenario {
    let outcomes: Set = [
      end == .error ? "1 error" : "1 end", "1 cancelled", "cancelled, discarded 1",
      "cancelled, not registered",
    ]
    return Scenario("sequence, main: yield, \(end), cancellation", outcomes: outcomes) { run in
      let feed = Feed(in: run, home: .main)
      let reader = run.task("reader") { @MainActor in
        await feed.read(
          feed.sequence { callbacks in
            let callbacks = Shared<Feed.Callbacks?>(callbacks)
            run.thread("SDK") {
              callbacks.value?.yield(feed.element())
              feed.end(end, of: callbacks)
            }
          }
        )
      }
      run.thread("canceller") { reader.cancel() }
    }
  }

  /// It waits for `onTermination` before it returns the end.
  private static let readerElsewhere = Scenario(
    "sequence, reader elsewhere: yield, finish",
    outcomes: ["1 end"]
  ) { run in
    let feed = Feed(in: run, home: .main)
    run.task("reader") {
      let sequence = await feed.sequenceOnMainActor { callbacks in
        run.thread("SDK") {
          callbacks.yield(feed.element())
          callbacks.finish(nil)
        }
      }
      await feed.read(sequence)
      feed.expectTerminated()
    }
  }

  /// It ends even if its registration has not begun, or runs.
  private static let cancelledReaderElsewhere = Scenario(
    "sequence, reader elsewhere: registration, yield, cancellation",
    outcomes: [
      "1 end", "cancelled early, discarded 1", "cancelled, discarded 1",
      "cancelled, not registered",
    ]
  ) { run in
    let feed = Feed(in: run, home: .main)
    let reader = run.task("reader") {
      let sequence = await feed.sequenceOnMainActor { callbacks in
        callbacks.yield(feed.element())
        run.step("in the registration")
      }
      await feed.read(sequence)
    }
    run.thread("canceller") { reader.cancel() }
  }

  private static let brokenReaderElsewhere = Scenario(
    "sequence, reader elsewhere: yield, break",
    outcomes: ["1 break, discarded 2"]
  ) { run in
    let feed = Feed(in: run, home: .main)
    run.task("reader") {
      let sequence = await feed.sequenceOnMainActor { callbacks in
        run.thread("SDK") {
          callbacks.yield(feed.element())
          callbacks.yield(feed.element())
        }
      }
      await feed.read(sequence, atMost: 1)
    }
  }

  private static let throwingHome = Scenario(
    "sequence, reader elsewhere: registration throws, yield, cancellation",
    outcomes: [
      "cancelled early, discarded 1", "cancelled, discarded 1", "cancelled, not registered",
      "error, discarded 1",
    ]
  ) { run in
    let feed = Feed(in: run, home: .main)
    let reader = run.task("reader") {
      let sequence = await feed.sequenceOnMainActor { callbacks in
        callbacks.yield(feed.element())
        throw SDKError()
      }
      await feed.read(sequence)
    }
    run.thread("canceller") { reader.cancel() }
  }

  // MARK: Copies of an iterator

  /// Each reader needs one element, and the sequence does not end.
  private static let copies = Scenario(
    "sequence, copies: yield, yield",
    outcomes: ["a 1 break, b 2 break", "a 2 break, b 1 break"]
  ) { run in
    let feed = Feed(in: run, home: .main)
    let callbacks = Shared<Feed.Callbacks?>(nil)
    run.task("a") { @MainActor in
      let iterator = feed.sequence {
        callbacks.value = $0
        run.thread("SDK") {
          for _ in 0..<2 { callbacks.value?.yield(feed.element()) }
        }
      }.makeAsyncIterator()
      run.task("b") { @MainActor in await feed.read(iterator, as: "b", atMost: 1) }
      await feed.read(iterator, as: "a", atMost: 1)
    }
    run.atEnd { callbacks.value = nil }
  }

  /// One reader waits for the registration on another actor, and the other one for what comes
  /// first.
  private static let copiesElsewhere = Scenario(
    "sequence, copies elsewhere: registration throws",
    outcomes: ["a error, b end"]
  ) { run in
    let feed = Feed(in: run)
    let home = OtherActor()
    run.task("a") { @MainActor in
      let iterator = await home.sequence(of: feed) { _ in
        run.step("in the registration")
        throw SDKError()
      }.makeAsyncIterator()
      run.task("b") { @MainActor in await feed.read(iterator, as: "b") }
      await feed.read(iterator, as: "a")
    }
  }

  /// The cancellation of one reader ends the subscription of both.
  private static let cancelledCopy = Scenario(
    "sequence, copies: cancellation",
    outcomes: ["a cancelled, b end", "a cancelled, b end, not registered"]
  ) { run in
    let feed = Feed(in: run, home: .main)
    let callbacks = Shared<Feed.Callbacks?>(nil)
    let reader = run.task("a") { @MainActor in
      let iterator = feed.sequence { callbacks.value = $0 }.makeAsyncIterator()
      run.task("b") { @MainActor in await feed.read(iterator, as: "b") }
      await feed.read(iterator, as: "a")
    }
    run.thread("canceller") { reader.cancel() }
    run.atEnd { callbacks.value = nil }
  }
}

private actor OtherActor {
  func sequence(
    of feed: Feed,
    _ register: @escaping @Sendable (Feed.Callbacks) throws -> Void
  ) -> SendableCallbackSequence<Tracked, any Error> { feed.sequence(register).sendable() }
}

/// An SDK that calls back repeatedly, and its readers, with the checks that hold for every
/// sequence.
///
/// Its outcome is what each reader read, how its loop ended, and what was discarded: "1, end,
/// discarded 2".
final class Feed: @unchecked Sendable {
  /// How the SDK ends a registration.
  enum End: CaseIterable {
    case finish, drop, error
  }

  enum Home {
    case none, main
  }

  struct Callbacks: Sendable {
    let yield: @Sendable (Tracked) -> Void
    let finish: @Sendable ((any Error)?) -> Void
  }

  let run: Run
  private let home: Home
  /// Whether all readers receive all elements, and each registration begins after the one before.
  private let isShared: Bool
  private let unwatched: String?
  var shared: SendableCallbackSequence<Tracked, any Error>?
  private var produced: [String] = []
  private var discarded: [String] = []
  private var read: [String: [String]] = [:]
  private var ends: [String: String] = [:]
  private(set) var registrations = 0
  private var terminations = 0
  /// How many registrations threw.
  private var failures = 0
  private var isRegistering = false

  /// - Parameter unwatched: A reader that is not in the outcome.
  init(in run: Run, home: Home = .none, isShared: Bool = false, unwatched: String? = nil) {
    (self.run, self.home, self.isShared, self.unwatched) = (run, home, isShared, unwatched)
    run.atEnd { [self] in check() }
  }

  // MARK: The SDK

  func element() -> Tracked {
    let name = "\(produced.count + 1)"
    produced.append(name)
    return Tracked(name, in: run)
  }

  func end(_ end: End, of callbacks: Shared<Callbacks?>) {
    switch end {
    case .finish: callbacks.value?.finish(nil)
    case .drop: callbacks.value = nil
    case .error: callbacks.value?.finish(SDKError())
    }
  }

  private func assertHome() {
    if home == .main { MainActor.preconditionIsolated() }
  }

  // MARK: The sequence

  func sequence(
    buffering policy: BufferingPolicy = .unbounded,
    isolation: isolated (any Actor)? = #isolation,
    _ register: @escaping @Sendable (Callbacks) throws -> Void
  ) -> AsyncThrowingCallbackSequence<Tracked> {
    AsyncThrowingCallbackSequence(buffering: policy) { yield, finish in
      try self.register { try register(Callbacks(yield: yield, finish: finish)) }
    } onTermination: { token in
      self.onTermination(token)
    } onDiscard: {
      self.onDiscard($0)
    }
  }

  @MainActor
  func sequenceOnMainActor(
    _ register: @escaping @Sendable (Callbacks) throws -> Void
  ) -> SendableCallbackSequence<Tracked, any Error> { sequence(register).sendable() }

  /// Returns the token of the registration.
  func register(_ register: () throws -> Void) rethrows -> sending Packet {
    run.userCode("registration")
    assertHome()
    run.expect(
      registrations == (isShared ? terminations + failures : 0),
      "registers although it has registered"
    )
    registrations += 1
    isRegistering = true
    defer { isRegistering = false }
    do {
      try register()
    } catch {
      failures += 1
      throw error
    }
    return Packet("token", in: run)
  }

  func onTermination(_ token: Packet) {
    run.userCode("onTermination")
    assertHome()
    run.expect(!isRegistering, "onTermination before the registration has returned")
    run.step("in onTermination")
    terminations += 1
    run.expect(terminations + failures <= registrations, "onTermination again")
  }

  func onDiscard(_ element: Tracked) {
    run.userCode("onDiscard of \(element.name)")
    discarded.append(element.name)
  }

  // MARK: The readers

  nonisolated(nonsending) func read<Elements: AsyncSequence>(
    _ elements: Elements,
    as reader: String = "reader",
    atMost most: Int = .max,
    onElement: (Tracked) -> Void = { _ in }
  ) async where Elements.Element == Tracked {
    var end = "end"
    do {
      var iterator = elements.makeAsyncIterator()
      while true {
        let wasCancelled = Task.isCancelled
        guard let element = try await iterator.next(isolation: #isolation) else { break }
        run.userCode("\(reader) reads \(element.name)")
        run.expect(!wasCancelled, "a cancelled task reads \(element.name)")
        read[reader, default: []].append(element.name)
        onElement(element)
        if read[reader]?.count == most {
          end = "break"
          break
        }
      }
    } catch {
      end = Call.word(for: .failure(error))
    }
    run.userCode("\(reader) ends: \(end)")
    // A cancelled reader does not wait for a registration that runs on another actor.
    ends[reader] = isRegistering && !isShared ? "\(end) early" : end
  }

  /// Whether a reader's loop has ended.
  var hasEnded: Bool { !ends.isEmpty }

  /// A reader that was not cancelled has read the end.
  func expectTerminated() {
    run.expect(terminations == registrations, "the end was read before onTermination has returned")
  }

  // MARK: The checks

  private func check() {
    let all = read.values.flatMap { $0 } + discarded
    if isShared {
      run.expect(discarded.isEmpty, "a shared sequence discards \(discarded)")
      run.expect(Set(all).isSubset(of: produced), "read \(read) of \(produced)")
    } else {
      run.expect(all.sorted() == produced.sorted(), "read \(read) + discarded \(discarded)")
    }
    run.expect(
      terminations + failures == registrations,
      "\(terminations) of \(registrations - failures) registrations were terminated"
    )
    for (reader, end) in ends.sorted(by: { $0.key < $1.key }) where reader != unwatched {
      let words = (read[reader] ?? []) + [end]
      run.saw((reader == "reader" ? "" : "\(reader) ") + words.joined(separator: " "))
    }
    if !discarded.isEmpty { run.saw("discarded " + discarded.sorted().joined(separator: " ")) }
    if registrations == 0 { run.saw("not registered") }
    if registrations > 1 { run.saw("\(registrations) registrations") }
  }
}
