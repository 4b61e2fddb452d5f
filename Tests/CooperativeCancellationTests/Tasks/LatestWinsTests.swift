import CooperativeCancellation
import FakeCallbackSDK
import PendingAnswers
import TaskBags
import Testing

/// The latest wins, over SDKs that do one thing at a time: a new call is neither refused nor stopped in place of the
/// old one.
@Suite("The latest wins", .watchdog)
@MainActor
struct LatestWinsTests {
  private struct Refused: Error {}
  private struct Stopped: Error {}

  /// Refuses a call while another one runs, as a scanner does; or ends it, as a web view does. `stop` stops whatever
  /// runs.
  @MainActor
  private final class SDK {
    typealias Completion = @Sendable (Result<Int, any Error>) -> Void

    private var running: (number: Int, completion: Completion)?
    private var last = 0
    let refuses: Bool

    init(refuses: Bool) { self.refuses = refuses }

    func begin(_ completion: @escaping Completion) -> Bool {
      if refuses, running != nil { return false }
      stop()
      last += 1
      running = (last, completion)
      let number = last
      // Answers later, if it is still running then.
      Task { if running?.number == number { end(.success(number)) } }
      return true
    }

    func stop() { end(.failure(Stopped())) }

    private func end(_ result: Result<Int, any Error>) {
      let completion = running?.completion
      running = nil
      completion?(result)
    }
  }

  enum Way: CaseIterable {
    case bridgeInBag, callInBag, callInTasks
  }

  @Test(arguments: Way.allCases, [false, true])
  func `the new call gets its own answer`(way: Way, refuses: Bool) async throws {
    let (sdk, calls, bag) = (SDK(refuses: refuses), PendingCall<Int>(), TaskBag())
    func bridge() async throws -> Int {
      try await withAsyncThrowingValue { completion in
        guard sdk.begin(completion) else { throw Refused() }
      } onCancel: {
        sdk.stop()
      }
    }
    func call() async throws -> Int {
      try await calls.value {
        guard sdk.begin({ calls.resume(with: $0) }) else { throw Refused() }
      } onCancel: {
        sdk.stop()
      }
    }
    for _ in 0..<max(20, tries(200)) {
      let (ended, begun) = (Signal(), Protected(false))
      let failure = Protected<(any Error)?>(nil)
      let scan = { @MainActor in _ = try await way == .bridgeInBag ? bridge() : call() }
      let old = { @MainActor in
        begun.withLock { $0 = true }
        try? await scan()
      }
      let new = { @MainActor in
        do { try await scan() } catch { failure.withLock { $0 = error } }
        ended.fire()
      }
      if way == .callInTasks {
        let task = Task { await old() }
        await Task.yield()
        task.cancel()
        Task { await new() }
      } else {
        bag.add(id: "scan") { await old() }
        await Task.yield()
        bag.add(id: "scan") { await new() }
      }
      await ended.wait()
      #expect(failure.withLock { $0 } == nil)
    }
  }
}
