import CooperativeCancellation
import PendingAnswers

extension Scenario {
  static let sharedCalls = [
    onlyCallerLeaves, endlessCall, oneLeaves, bothLeave, join, callAgain,
    callAgainAfterCancellation,
    sharedTimeout, sharedError, fourCallers,
  ]

  static let events = [
    eventAndCancellation, eventForAll, eventInOperation, closeAndLateReader, eventAndClose,
    eventError, eventAndTimeout,
  ]

  // MARK: Shared calls

  private static let onlyCallerLeaves = Scenario(
    "shared: answer, the only caller leaves",
    outcomes: ["only value", "only cancelled", "only cancelled, discarded"]
  ) { run in
    let users = SharedUsers(in: run)
    let only = users.begin("only")
    run.thread("canceller") { only.cancel() }
  }

  private static let endlessCall = Scenario(
    "shared: no answer, both leave",
    outcomes: ["first cancelled", "first cancelled, second cancelled"]
  ) { run in
    let users = SharedUsers(in: run, .never)
    let first = users.begin(
      "first",
      whileCalling: {
        let second = users.begin("second")
        run.thread("other canceller") { second.cancel() }
      }
    )
    run.thread("canceller") { first.cancel() }
  }

  private static let oneLeaves = Scenario(
    "shared: answer, one of two leaves",
    outcomes: [
      "first value, second value",
      "first cancelled, second value",
      "first cancelled, second value, discarded",
    ]
  ) { run in
    let users = SharedUsers(in: run)
    let first = users.begin("first")
    users.begin("second")
    run.thread("canceller") { first.cancel() }
  }

  private static let bothLeave = Scenario(
    "shared: answer, both leave",
    outcomes: [
      "first value, second value",
      "first value, second cancelled",
      "first value, second cancelled, discarded",
      "first cancelled, second value",
      "first cancelled, second value, discarded",
      "first cancelled, second cancelled",
      "first cancelled, second cancelled, discarded",
    ]
  ) { run in
    let users = SharedUsers(in: run)
    let (first, second) = (users.begin("first"), users.begin("second"))
    run.thread("canceller") {
      first.cancel()
      second.cancel()
    }
  }

  private static let join = Scenario(
    "shared: answer, another joins",
    outcomes: ["first value, second value"]
  ) { run in
    let users = SharedUsers(in: run)
    for name in ["first", "second"] { users.begin(name) }
  }

  /// The key is free before anyone who waited goes on.
  private static let callAgain = Scenario(
    "shared: answer, one calls again",
    outcomes: ["first value, first value, second value"]
  ) { run in
    let users = SharedUsers(in: run)
    users.begin("first", calls: 2)
    users.begin("second")
  }

  private static let callAgainAfterCancellation = Scenario(
    "shared: answer, one leaves, the other calls again",
    outcomes: [
      "first value, second value, second value",
      "first cancelled",
      "first cancelled, second value, second value",
      "first cancelled, second value, second value, discarded",
    ]
  ) { run in
    let users = SharedUsers(in: run)
    let first = users.begin("first", whileCalling: { users.begin("second", calls: 2) })
    run.thread("canceller") { first.cancel() }
  }

  private static let sharedTimeout = Scenario(
    "shared: answer, one of two times out",
    outcomes: [
      "first value, second value",
      "first timed out, second value",
      "first timed out, second value, discarded",
    ]
  ) { run in
    let users = SharedUsers(in: run)
    users.begin("first", timeout: .seconds(5), whileCalling: { users.begin("second") })
  }

  private static let sharedError = Scenario(
    "shared: error, one of two leaves",
    outcomes: ["first error, second error", "first cancelled", "first cancelled, second error"]
  ) { run in
    let users = SharedUsers(in: run, .fails)
    let first = users.begin("first", whileCalling: { users.begin("second") })
    run.thread("canceller") { first.cancel() }
  }

  private static let fourCallers = Scenario(
    "shared: answer, one of four leaves",
    outcomes: [
      "1 value, 2 value, 3 value, 4 value",
      "1 cancelled",
      "1 cancelled, 2 value, 3 value, 4 value",
      "1 cancelled, 2 value, 3 value, 4 value, discarded",
    ]
  ) { run in
    let users = SharedUsers(in: run)
    let first = users.begin(
      "1",
      whileCalling: { for name in ["2", "3", "4"] { users.begin(name) } }
    )
    run.thread("canceller") { first.cancel() }
  }

  // MARK: An event

  private static let eventAndCancellation = Scenario(
    "event: event, cancellation",
    outcomes: ["reader value", "reader cancelled"]
  ) { run in
    let event = PendingEvent<String>()
    let reader = run.read(event, "reader") {
      run.thread("SDK") { event.resume(returning: "value") }
    }
    run.thread("canceller") { reader.cancel() }
  }

  private static let eventAndTimeout = Scenario(
    "event: event, timeout",
    outcomes: ["reader value", "reader timed out"]
  ) { run in
    let event = PendingEvent<String>()
    run.read(event, "reader", timeout: .seconds(5)) {
      run.thread("SDK") { event.resume(returning: "value") }
    }
  }

  /// Whoever waits receives it.
  private static let eventForAll = Scenario(
    "event: event, event, two readers",
    outcomes: ["first value, second value", "second value, first value"]
  ) { run in
    let event = PendingEvent<String>()
    let waiting = Shared(0)
    for reader in ["first", "second"] {
      run.read(event, reader) {
        waiting.value += 1
        guard waiting.value == 2 else { return }
        run.thread("SDK") {
          let count = event.tryResume(returning: "value")
          run.expect(count == 2, "\(count) readers take the event")
          event.resume(returning: "second value")
        }
      }
    }
  }

  private static let eventInOperation = Scenario(
    "event: event inside operation, cancellation",
    outcomes: ["reader value", "reader cancelled"]
  ) { run in
    let event = PendingEvent<String>()
    let reader = run.read(event, "reader") { event.resume(returning: "value") }
    run.thread("canceller") { reader.cancel() }
  }

  private static let closeAndLateReader = Scenario(
    "event: close, a reader, a late reader",
    outcomes: ["first closed, second closed", "second closed, first closed"]
  ) { run in
    let (event, isClosed) = (PendingEvent<String>(), Shared(false))
    for reader in ["first", "second"] {
      run.task(reader) {
        let isLate = isClosed.value
        await run.value(of: event, reader) {
          run.expect(!isLate, "the operation of a late reader runs")
        }
      }
    }
    run.thread("SDK") {
      event.close(returning: "closed")
      isClosed.value = true
    }
  }

  private static let eventAndClose = Scenario(
    "event: event, close, other close",
    outcomes: ["reader value", "reader closed", "reader error"]
  ) { run in
    let event = PendingEvent<String>()
    run.read(event, "reader")
    run.thread("SDK") { event.resume(returning: "value") }
    run.thread("connection") { event.close(returning: "closed") }
    run.thread("other connection") { event.close(throwing: SDKError()) }
  }

  private static let eventError = Scenario(
    "event: event, error",
    outcomes: ["reader value", "reader error"]
  ) { run in
    let event = PendingEvent<String>()
    run.read(event, "reader") {
      run.thread("SDK") { event.resume(returning: "value") }
      run.thread("SDK's owner") { event.resume(throwing: SDKError()) }
    }
  }
}

/// The callers of a shared call, and its SDK. Each value must reach a caller, or be discarded once.
private final class SharedUsers: @unchecked Sendable {
  enum Behavior { case answers, fails, never }

  private let calls = SharedCalls<ID, Tracked>()
  private let run: Run
  private let behavior: Behavior
  private var made = 0
  private var ended = 0
  private var produced: [String] = []
  private var discarded: [String] = []
  /// The values, by caller.
  private var delivered: [String: [String]] = [:]
  private var results: [String: [String]] = [:]

  init(in run: Run, _ behavior: Behavior = .answers) {
    self.run = run
    self.behavior = behavior
    run.atEnd { [self] in check() }
  }

  @discardableResult
  func begin(
    _ name: String,
    calls count: Int = 1,
    timeout: Timeout? = nil,
    whileCalling: @escaping @Sendable () -> Void = {}
  ) -> Task<Void, Never> {
    run.task(name) { [self] in
      for _ in 0..<count { await call(name, timeout: timeout, whileCalling: whileCalling) }
    }
  }

  nonisolated(nonsending) func call(
    _ name: String,
    timeout: Timeout? = nil,
    whileCalling: @escaping @Sendable () -> Void
  ) async {
    let result: Result<String, any Error>
    do {
      let value = try await calls.value(for: ID(1, in: run), timeout: timeout) { [self] in
        made += 1
        let name = "value \(made)"
        whileCalling()
        defer { ended += 1 }
        run.step("the SDK works")
        switch behavior {
        case .answers: try Task.checkCancellation()
        case .fails: throw SDKError()
        case .never:
          let completion = Shared<(@Sendable (Tracked) -> Void)?>(nil)
          defer { completion.value = nil }
          return try await withAsyncThrowingValue { completion.value = $0 }
        }
        produced.append(name)
        return Tracked(name, in: run)
      } onDiscard: { [self] in
        run.userCode("onDiscard of \($0.name)")
        discarded.append($0.name)
      }
      run.expect(
        delivered[name]?.contains(value.name) != true,
        "\(name) calls again and receives the value of the call that has ended"
      )
      delivered[name, default: []].append(value.name)
      result = .success(value.name)
    } catch {
      result = .failure(error)
    }
    results[name, default: []].append(Call.word(for: result))
  }

  private func check() {
    run.expect(ended == made, "\(made - ended) calls are not cancelled when the last caller leaves")
    for value in produced {
      let isDelivered = delivered.values.contains { $0.contains(value) }
      let times = discarded.count { $0 == value }
      run.expect(times == (isDelivered ? 0 : 1), "\(value) is discarded \(times) times")
    }
    let words = results.sorted { $0.key < $1.key }.flatMap { name, results in
      results.map { "\(name) \($0)" }
    }
    for word in words + (discarded.isEmpty ? [] : ["discarded"]) { run.saw(word) }
  }
}

extension Run {
  /// Makes a task that waits for an event.
  @discardableResult
  fileprivate func read(
    _ event: PendingEvent<String>,
    _ name: String,
    timeout: Timeout? = nil,
    in operation: @escaping @Sendable () -> Void = {}
  ) -> Task<Void, Never> {
    task(name) { [self] in await value(of: event, name, timeout: timeout, in: operation) }
  }

  nonisolated(nonsending) fileprivate func value(
    of event: PendingEvent<String>,
    _ name: String,
    timeout: Timeout? = nil,
    in operation: () -> Void
  ) async {
    let word: String
    do {
      word = try await event.value(timeout: timeout, in: operation)
    } catch {
      word = Call.word(for: .failure(error))
    }
    atEnd { [self] in saw("\(name) \(word)") }
  }
}
