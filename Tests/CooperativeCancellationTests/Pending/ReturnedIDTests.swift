import CooperativeCancellation
import FakeCallbackSDK
import Testing

/// Ids that the SDK returns: an answer may come before them.
@Suite("Pending calls, ids that the call returns", .watchdog)
struct ReturnedIDTests {
  private let unclaimed = Protected<[String]>([])
  private let calls: PendingCalls<Int, String>

  init() {
    calls = PendingCalls { [unclaimed] id, answer in
      let text = (try? answer.get()) ?? "failed"
      unclaimed.withLock { $0.append("\(id) \(text)") }
    }
  }

  private var all: [String] { unclaimed.withLock { $0 } }

  @Test
  func `an answer that comes before the id is found, and an answer for no call is passed on`()
    async throws
  {
    let value = try await calls.value {
      #expect(calls.resume(8, returning: "other"))
      #expect(calls.resume(7, returning: "own"))
      #expect(calls.resume(7, returning: "second"))
      #expect(calls.resume(9, throwing: SDKError.failed))
      return 7
    }
    #expect(value == "own")
    #expect(all == ["8 other", "7 second", "9 failed"])
    #expect(calls.count == 0)
    #expect(!calls.resume(7, returning: "late"))
    #expect(all.count == 3)
  }

  @Test
  func `the id of a call that was answered together with all does not name the next call`() throws {
    var registry = CallRegistry<Int>()
    let first = try begin(&registry)
    #expect(registry.takeAll(carrier(of: 0)).calls.count == 1)
    #expect(registry.takeAll(carrier(of: 0)).calls.count == 0, "it has its answer")
    let second = try begin(&registry)
    #expect(registry.count == 1)
    #expect(name(first, 0, &registry) == ["given"])
    #expect(park(0, &registry) && park(1, &registry))
    #expect(name(second, 1, &registry) == ["answered 1", "unclaimed 0"])
    #expect(registry.count == 0)
  }

  @Test
  func `a call that is being made for long keeps nothing of the calls after it`() throws {
    var registry = CallRegistry<Int>()
    let first = try begin(&registry)
    for id in 0..<1_000 {
      let call = try begin(&registry)
      #expect(name(call, id, &registry) == ["given"])
      if case .call = registry.take(id, carrier(of: id)) { continue }
      Issue.record("the call waits for its answer")
    }
    #expect(registry.starting.count == 1 && registry.parked.isEmpty)
    #expect(name(first, -1, &registry) == ["given"])
  }

  private func begin(_ registry: inout CallRegistry<Int>) throws -> Int {
    try registry.begin(Wait(response: .abandonCallback))
  }

  private func park(_ id: Int, _ registry: inout CallRegistry<Int>) -> Bool {
    if case .parked = registry.take(id, carrier(of: id)) { true } else { false }
  }

  private func name(_ number: Int, _ id: Int, _ registry: inout CallRegistry<Int>) -> [String] {
    let (name, unclaimed) = registry.name(number, id)
    let text =
      switch name {
      case .given: "given"
      case .taken: "taken"
      case .answered(let parked): "answered \(parked.id)"
      }
    return [text] + unclaimed.map { "unclaimed \($0.id)" }
  }

  @Test
  func `answers for other calls are passed on, however the call that is being made ends`() async {
    let executor = ManualExecutor()
    let other = Task(executorPreference: executor) { try await calls.value(for: 1) {} }
    executor.runUntilIdle()
    await #expect(throws: AlreadyPendingError.self) {
      try await calls.value {
        calls.resume(8, returning: "eight")
        return 1
      }
    }
    #expect(all == ["8 eight"])
    // Answered together with all, and throws.
    for end in ["nine", "ten"] {
      await #expect(throws: SDKError.failed) {
        try await calls.value {
          calls.resume(9, returning: end)
          if end == "ten" { throw SDKError.failed }
          #expect(calls.resumeAll(throwing: SDKError.failed) == 2)
          return 2
        }
      }
    }
    #expect(all == ["8 eight", "9 nine", "9 ten"])
    executor.runUntilIdle()
    await #expect(throws: SDKError.failed) { try await other.value }
    await #expect(throws: SDKError.failed) {
      try await calls.value {
        calls.resume(1, returning: "one")
        calls.close(throwing: SDKError.failed)
        #expect(all.last == "1 one")
        #expect(!calls.resume(2, returning: "two"), "no call can claim it any more")
        return 1
      }
    }
    #expect(calls.count == 0)
  }
}
