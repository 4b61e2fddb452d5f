import CooperativeCancellation
import FakeCallbackSDK
import PendingAnswers
import Testing

private let rounds = tries(10_000)

/// An id that uses the calls again where it is released.
private final class Reentrant: Hashable, Sendable {
  static let calls = Protected<PendingCalls<Reentrant, Int>?>(nil)
  let number: Int

  init(_ number: Int) { self.number = number }

  deinit { _ = Reentrant.calls.withLock { $0 }?.count }

  static func == (left: Reentrant, right: Reentrant) -> Bool { left.number == right.number }

  func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

@Suite(
  "Pending calls, on real threads and in numbers",
  .serialized,
  .oneAtATime,
  .watchdog,
  .ownThread
)
struct PendingRaceTests {
  /// How a call of a race ended, or what became of an answer.
  private enum Outcome: CaseIterable {
    case delivered
    case cancelled
    case closed
    case discarded
    case refused
    /// Only what comes while an SDK is being called that returns its id can later be for no call.
    case unclaimed

    static let ofAnswers = [delivered, discarded, refused, unclaimed]
  }

  /// An answer, a cancellation and a close of one call, from two threads at once, while others call
  /// or wait.
  @Test(arguments: [PendingKind.idGiven, .idReturned, .inTurn, .inOrder, .oneAtATime])
  func `an answer is delivered, discarded, handed back or passed on in every race`(
    kind: PendingKind
  ) async {
    let returnsID = kind.traits.contains(.returnsID)
    let possible = Outcome.allCases.filter { returnsID || $0 != .unclaimed }
    let split = Protected(Split(of: possible))
    let answered = Protected(0)
    while split.withLock({ $0.goesOn(for: rounds, often: 5) }) {
      let round = split.withLock { $0.rounds }
      let waits = kind.make(nil) { split.withLock { $0[.unclaimed] += 1 } }
      @Sendable func answer(_ id: Int) {
        answered.withLock { $0 += 1 }
        if waits.answer(id, .success("")) == 0 { split.withLock { $0[.refused] += 1 } }
      }
      @Sendable func value(_ id: Int) async throws {
        var closures = PendingKind.Closures()
        closures.onDiscard = { _ in split.withLock { $0[.discarded] += 1 } }
        // Only one of them can be this call's.
        if returnsID, round.isMultiple(of: 5) {
          closures.operation = { for _ in 0..<2 { answer(id) } }
        }
        _ = try await waits.call(id, closures)
      }
      await withTaskGroup(of: Void.self) { group in
        var calls: [Task<Void, Never>] = []
        for id in 0..<3 {
          let call = Task {
            do {
              try await value(id)
              split.withLock { $0[.delivered] += 1 }
            } catch is CancellationError {
              split.withLock { $0[.cancelled] += 1 }
            } catch {
              split.withLock { $0[.closed] += 1 }
            }
          }
          calls.append(call)
          group.addTask { await call.value }
          group.addTask {
            for _ in 0..<2 {
              answer(id)
              // The answer is there, and perhaps the task has not seen it.
              if round.isMultiple(of: 2) { call.cancel() }
              await Task.yield()
            }
          }
        }
        for _ in 0..<Int.random(in: 0...6) { await Task.yield() }
        if round.isMultiple(of: 3) { for call in calls { call.cancel() } }
        for _ in 0..<Int.random(in: 0...3) { await Task.yield() }
        waits.close(SDKError.failed)
      }
      #expect(waits.count() == 0)
      let ends = split.withLock { split in Outcome.ofAnswers.reduce(0) { $0 + split[$1] } }
      #expect(ends == answered.withLock { $0 }, "nothing is lost, round \(round)")
    }
    let result = split.withLock { $0 }
    print("pending calls, \(kind.testDescription): \(result)")
    #expect(returnsID || result[.unclaimed] == 0)
  }

  @Test(arguments: PendingCalls<Reentrant, Int>.TakenIDPolicy.allCases)
  private func `ids are released with no lock held`(
    policy: PendingCalls<Reentrant, Int>.TakenIDPolicy
  ) async throws {
    let calls = PendingCalls<Reentrant, Int>(ifTaken: policy) { _, _ in }
    Reentrant.calls.withLock { $0 = calls }
    defer { Reentrant.calls.withLock { $0 = nil } }
    for number in 0..<10 {
      async let first = calls.value(for: Reentrant(number)) {}
      async let second = calls.value {
        // Parked: one is claimed, one is passed on.
        calls.resume(Reentrant(-1), returning: number)
        calls.resume(Reentrant(-2), returning: number)
        return Reentrant(-1)
      }
      #expect(try await second == number)
      while !calls.tryResume(Reentrant(number), returning: number) { await Task.yield() }
      #expect(try await first == number)
    }
    await #expect(throws: SDKError.self) {
      try await calls.value {
        calls.resume(Reentrant(-1), returning: 1)
        throw SDKError.failed
      }
    }
    let tasks = (0..<2).map { id in
      Task { try await calls.value(for: Reentrant(id)) {} }
    }
    while calls.count < 2 { await Task.yield() }
    tasks[0].cancel()
    await #expect(throws: CancellationError.self) { try await tasks[0].value }
    calls.close(throwing: SDKError.failed)
    await #expect(throws: SDKError.self) { try await tasks[1].value }
    #expect(calls.count == 0)
  }
}
