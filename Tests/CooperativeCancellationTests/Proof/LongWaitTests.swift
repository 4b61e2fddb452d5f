import CooperativeCancellation
import FakeCallbackSDK
import MallocStatistics
import Testing

#if THREAD_SANITIZER
  private let most = 20_000
#elseif DEBUG
  private let most = 50_000
#else
  private let most = 1_000_000
#endif
private let few = 10_000

/// An SDK that keeps every completion, and never calls one.
private final class SilentSDK: Sendable {
  typealias Completion = @Sendable (Result<Int, any Error>) -> Void

  private let kept = Protected<[Completion]>([])
  private let cancelled = Protected(0)

  var cancels: Int { cancelled.withLock { $0 } }

  func begin(_ completion: @escaping Completion) {
    kept.withLock { $0.append(completion) }
  }

  func cancel() {
    cancelled.withLock { $0 += 1 }
  }
}

/// Waits that are pending at the same time, and then cancelled.
private struct PendingWaits {
  /// Malloc's bytes in use, for each wait, while all are pending; the tasks included.
  var bytes = 0
  var time = Duration.zero
  var ended = 0
  var cancels = 0

  init(_ count: Int, wait: @escaping @Sendable (SilentSDK) async throws -> Void) {
    let ended = Protected(0)
    let executor = ManualExecutor()
    let sdk = SilentSDK()
    let before = malloc_bytes_in_use()
    time = ContinuousClock().measure {
      var tasks: [Task<Void, Never>] = []
      for _ in 0..<count {
        tasks.append(
          Task(executorPreference: executor) {
            do { try await wait(sdk) } catch { ended.withLock { $0 += 1 } }
          }
        )
      }
      executor.runUntilIdle()
      bytes = (malloc_bytes_in_use() - before) / count
      for task in tasks { task.cancel() }
      executor.runUntilIdle()
    }
    self.ended = ended.withLock { $0 }
    cancels = sdk.cancels
  }

  /// A bridged call.
  static func bridged(_ sdk: SilentSDK) async throws {
    _ = try await withAsyncThrowingValue {
      sdk.begin($0)
    } onCancel: {
      sdk.cancel()
    }
  }
}

@Suite("Long waits", .serialized, .watchdog(seconds: 300))
struct LongWaitTests {
  // Processes of their own, because other tests use memory and time too.

  @Test
  func `a million pending waits all end when they are cancelled, and leave nothing`() async {
    let result = await #expect(
      processExitsWith: .success,
      observing: [\.standardOutputContent]
    ) {
      _ = PendingWaits(few, wait: PendingWaits.bridged)  // What the runtime allocates once.
      let before = malloc_bytes_in_use()
      let waits = PendingWaits(most, wait: PendingWaits.bridged)
      let after = malloc_bytes_in_use()
      #expect(waits.ended == most)
      #expect(waits.cancels == most)
      #if THREAD_SANITIZER
        // The sanitizer has an allocator of its own.
        _ = (before, after)
        print("\(most) waits pending and cancelled")
      #else
        print("\(most) waits pending and cancelled: \(waits.bytes) bytes for each with its task;")
        print("bytes in use: \(before) before, \(after) after")
        #expect(after < before + 100_000)
        #expect(waits.bytes < 4_000)
      #endif
    }
    print(String(decoding: result?.standardOutputContent ?? [], as: UTF8.self))
  }

  @Test
  func `the time that a pending wait takes does not grow with their number`() async {
    let result = await #expect(
      processExitsWith: .success,
      observing: [\.standardOutputContent]
    ) {
      _ = PendingWaits(few, wait: PendingWaits.bridged)
      // As many in all, so that both see as much of what else the machine does.
      let inParts = (0..<most / few).reduce(Duration.zero) { time, _ in
        time + PendingWaits(few, wait: PendingWaits.bridged).time
      }
      let atOnce = PendingWaits(most, wait: PendingWaits.bridged).time
      let ratio = atOnce / inParts
      print("\(most) waits: \(inParts) in parts of \(few), \(atOnce) at once, ratio \(ratio)")
      // Quadratic time would make it 100 in a release build.
      #expect(ratio < 4)
    }
    print(String(decoding: result?.standardOutputContent ?? [], as: UTF8.self))
  }
}
