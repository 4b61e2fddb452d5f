import CooperativeCancellation
import FakeCallbackSDK
import MallocStatistics
import PendingAnswers
import Testing

private let rounds = tries(10_000)
private let most = tries(400_000)

/// An id that uses the calls again where it is released.
private final class Reentrant: Hashable, Sendable {
  static let calls = Protected<PendingCalls<Reentrant, Int>?>(nil)
  let number: Int

  init(_ number: Int) {
    self.number = number
  }

  deinit { _ = Reentrant.calls.withLock { $0 }?.count }

  static func == (left: Reentrant, right: Reentrant) -> Bool { left.number == right.number }

  func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

/// An SDK that is at work for one call, and stops whichever that is.
private final class ExclusiveSDK: Sendable {
  private let current = Protected<Int?>(nil)

  func start(_ call: Int) { current.withLock { $0 = call } }

  /// Returns the call that is over: answered, or stopped.
  func end() -> Int? { current.withLock { $0.take() } }
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
    /// Only what comes while an SDK is being called that returns its id can be for nobody later.
    case unclaimed

    static let ofAnswers = [delivered, discarded, refused, unclaimed]
  }

  /// An answer, a cancellation and a close of the same call, from two threads at once, while others are calling, or
  /// wait for their turn.
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

  /// What the `onCancel` of a call stopped.
  private enum Stopped: CaseIterable {
    case itsOwn
    /// The SDK had already answered.
    case nothing
  }

  /// Calls with the same id, or one at a time, that are answered and cancelled at any moment.
  @Test(arguments: [PendingKind.idGiven, .inTurn, .oneAtATime])
  func `an interruption reaches no other call`(kind: PendingKind) async {
    let split = Protected(Split(of: Stopped.allCases))
    while split.withLock({ $0.goesOn(for: rounds / 10, often: 5) }) {
      let sdk = ExclusiveSDK()
      let waits = kind.make(nil) {}
      @Sendable func stop(_ number: Int) {
        let stopped = sdk.end()
        #expect(stopped == nil || stopped == number, "another call is stopped")
        split.withLock { $0[stopped == nil ? .nothing : .itsOwn] += 1 }
        if stopped != nil { _ = waits.resume(.success("")) }
      }
      await withTaskGroup(of: Void.self) { group in
        for number in 0..<3 {
          let closures = PendingKind.Closures(
            operation: { sdk.start(number) },
            onCancel: { stop(number) }
          )
          let task = Task {
            while true {
              do {
                return _ = try await waits.call(1, closures)
              } catch is AlreadyPendingError {
                await Task.yield()
              }
            }
          }
          group.addTask { _ = await task.result }
          group.addTask {
            for _ in 0..<Int.random(in: 0...4) { await Task.yield() }
            task.cancel()
          }
          group.addTask {
            for _ in 0..<Int.random(in: 0...4) { await Task.yield() }
            if sdk.end() != nil { _ = waits.resume(.success("")) }
          }
        }
      }
    }
    print("interruptions, \(kind.testDescription): \(split.withLock { $0 })")
  }

  @Test(arguments: PendingCalls<Reentrant, Int>.TakenIDPolicy.allCases)
  private func `no lock is held while ids are released`(
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
      while !calls.resume(Reentrant(number), returning: number) { await Task.yield() }
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

  @Test
  func `many calls leave nothing behind, however they ended`() async {
    // A process of its own, because other tests use memory too.
    let result = await #expect(
      processExitsWith: .success,
      observing: [\.standardOutputContent]
    ) {
      let executor = ManualExecutor()
      let kinds = PendingCalls<Int, Int>.TakenIDPolicy.allCases.map { PendingCalls(ifTaken: $0) }
      func round(_ count: Int, _ calls: PendingCalls<Int, Int>) {
        var tasks: [Task<Void, Never>] = []
        tasks.reserveCapacity(count)
        for id in 0..<count {
          tasks.append(
            Task(executorPreference: executor) {
              _ = try? await calls.value(for: id) {}
            }
          )
        }
        executor.runUntilIdle()
        #expect(calls.count == count)
        for id in 0..<count / 3 { calls.resume(id, returning: id) }
        for id in count / 3..<2 * count / 3 { tasks[id].cancel() }
        executor.runUntilIdle()
        calls.resumeAll(throwing: SDKError.failed)
        executor.runUntilIdle()
        #expect(calls.count == 0)
      }
      for calls in kinds { round(1_000, calls) }
      var left = Int.max
      // A third of the calls ends in each way. If any of them left the smallest allocation, it would be more.
      let allowed = 8 * most
      for _ in 1...10 where left > allowed {
        let before = malloc_bytes_in_use()
        let time = ContinuousClock().measure {
          for number in 0..<most / 1_000 { round(1_000, kinds[number % kinds.count]) }
        }
        left = malloc_bytes_in_use() - before
        print("\(most) pending calls, 1,000 at once: \(time), \(left) bytes left")
      }
      if mallocCounts { #expect(left <= allowed) }
    }
    print(String(decoding: result?.standardOutputContent ?? [], as: UTF8.self))
  }
}
