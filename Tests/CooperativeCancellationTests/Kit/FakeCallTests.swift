import TaskBags
import CooperativeCancellation
import FakeCallbackSDK
import Foundation
import Testing

@testable import CooperativeCancellationTesting

@Suite("A fake call", .watchdog) struct FakeCallTests {
  private let calls = FakeCall<@Sendable (Int) -> Void>()
  private let answers = Protected<[Int]>([])

  private var completion: @Sendable (Int) -> Void {
    { [answers] answer in answers.withLock { $0.append(answer) } }
  }

  @Test func `a fake hands out each call once, in order, and none from before a reset`()
    async throws
  {
    calls.record(completion)
    let first = try await calls.next(within: .watchdog)
    let task = Task { [calls] in try await calls.next(within: .watchdog) }
    calls.record(completion)
    calls.record(completion)
    #expect(first.number == 1)
    #expect(try await task.value(within: .watchdog).number == 2)
    #expect(try await calls.next(within: .watchdog).number == 3)
    #expect(calls.callCount == 3)
    #expect((0...4).map { calls[$0]?.number } == [nil, 1, 2, 3, nil])
    calls.record(completion)
    calls.reset()
    calls.record(completion)
    #expect(calls.nextRecorded()?.number == 5)
  }

  @Test func `a fake keeps a weak delegate alive in none of its copies`() {
    let (delegates, calls) = (LiveCount(), FakeCall<LiveCount.Member>())
    let request = calls.record(weakly: LiveCount.Member(of: delegates))
    #expect(delegates.count == 0)
    for request in [request, calls[1]] { request?.answer { _ in Issue.record("it is kept") } }
  }

  @Test
  func `a fake call can be answered again, but not after a drop, which releases the completion`() {
    let completions = LiveCount()
    let request = calls.record { [answers, member = LiveCount.Member(of: completions)] answer in
      withExtendedLifetime(member) { answers.withLock { $0.append(answer) } }
    }
    request.answer { $0(1) }
    request.answer { $0(2) }
    #expect(completions.count == 1)
    request.drop()
    #expect(completions.count == 0)
    request.answer { $0(3) }
    #expect(answers.withLock { $0 } == [1, 2])
  }

  @Test func `a fake call can be answered inside the call, and on the thread that cancels`() {
    calls.whenCalled { $0.answer { $0(1) } }
    calls.whenCancelled { $0.answer { $0(2) } }
    let request = calls.record(completion)
    #expect(answers.withLock { $0 } == [1])
    request.cancel()
    request.cancel()
    #expect(answers.withLock { $0 } == [1, 2, 2])
    #expect(request.cancelCount == 2)
  }

  @Test func `a fake call is cancelled under its SDK's lock, which may be held during an answer`() {
    let locks = Protected<[Bool]>([])
    calls.whenCancelled { request in
      let isHeld = !request.lock.tryHold()
      if !isHeld { request.lock.release() }
      locks.withLock { $0.append(isHeld) }
      // As an SDK does whose `cancel()` cancels again, with a recursive lock.
      if request.cancelCount == 1 { request.cancel() }
    }
    let request = calls.record(completion)
    request.cancel()
    #expect(locks.withLock { $0 } == [true, true])
    #expect(request.lock.tryHold(), "it is free again")
    request.lock.release()
  }
}
