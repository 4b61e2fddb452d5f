import CooperativeCancellation
import FakeCallbackSDK
import PendingAnswers
import Testing

/// The `onDiscard` of an object gets every value that none of its callers returns, and each once.
@Suite("One place for values that no caller returns", .watchdog) struct OneDiscardTests {
  /// How a value can come to nothing.
  enum Fate: CaseIterable {
    case noCall, late, withheld, operationThrew
  }

  private struct Connection: Sendable {
    let number: Int
  }

  private final class Closed: Sendable {
    private let numbers = Protected<[Int]>([])

    var all: [Int] { numbers.withLock { $0 } }

    @Sendable func close(_ connection: Connection) {
      numbers.withLock { $0.append(connection.number) }
    }
  }

  /// `call` makes a call, and `resume` answers it.
  private func bring(
    _ fate: Fate,
    call: @escaping @Sendable (@Sendable () throws -> Void) async throws -> Connection,
    resume: @escaping @Sendable (Connection) -> Void,
    count: @Sendable () -> Int
  ) async {
    switch fate {
    case .noCall:
      resume(Connection(number: 1))
    case .late:
      let task = Task { try await call {} }
      while count() == 0 { await Task.yield() }
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      resume(Connection(number: 1))
    case .withheld:
      let task = Task {
        try await call {
          withUnsafeCurrentTask { $0?.cancel() }
          resume(Connection(number: 1))
        }
      }
      await #expect(throws: CancellationError.self) { try await task.value }
    case .operationThrew:
      await #expect(throws: SDKError.self) {
        try await call {
          resume(Connection(number: 1))
          throw SDKError.failed
        }
      }
    }
  }

  @Test(arguments: Fate.allCases)
  func `a PendingCall discards it once`(fate: Fate) async {
    let closed = Closed()
    let one = PendingCall<Connection>(onDiscard: closed.close)
    await bring(
      fate,
      call: { operation in try await one.value(in: operation) },
      resume: { one.resume(returning: $0) },
      count: { one.calls.count }
    )
    #expect(closed.all == [1])
  }

  @Test(arguments: Fate.allCases, PendingCalls<Int, Int>.TakenIDPolicy.allCases)
  func `PendingCalls discard it once`(
    fate: Fate,
    policy: PendingCalls<Int, Int>.TakenIDPolicy
  ) async {
    let closed = Closed()
    let sharing: PendingCalls<Int, Connection>.TakenIDPolicy =
      switch policy {
      case .waitForTurn: .waitForTurn
      case .answerInOrder: .answerInOrder
      default: .throwError
      }
    let calls = PendingCalls<Int, Connection>(ifTaken: sharing, onDiscard: closed.close)
    await bring(
      fate,
      call: { operation in try await calls.value(for: 1, in: operation) },
      resume: { calls.resume(1, returning: $0) },
      count: { calls.count }
    )
    #expect(closed.all == [1])
  }

  @Test func `onUnclaimed gets what no call takes, and onDiscard the rest`() async {
    let closed = Closed()
    let unclaimed = Protected<[Int]>([])
    let calls = PendingCalls<Int, Connection>(
      onUnclaimed: { id, _ in unclaimed.withLock { $0.append(id) } },
      onDiscard: closed.close
    )
    for fate in [Fate.withheld, .noCall] {
      await bring(
        fate,
        call: { operation in try await calls.value(for: 1, in: operation) },
        resume: { calls.resume(1, returning: $0) },
        count: { calls.count }
      )
    }
    calls.resume(2, throwing: SDKError.failed)
    #expect(closed.all == [1] && unclaimed.withLock { $0 } == [1, 2])
    #expect(!calls.tryResume(3, returning: Connection(number: 3)), "it is still the caller's")
    #expect(closed.all == [1] && unclaimed.withLock { $0 } == [1, 2])
  }
}
