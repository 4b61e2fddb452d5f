import CooperativeCancellation
import FakeCallbackSDK
import Foundation
import MallocStatistics
import Testing

private let most = max(10_000, tries(200_000))
private let few = 5_000

/// Waits that are pending at the same time, and then cancelled.
private struct PendingWaits {
  /// Malloc's bytes in use, for each wait, while all are pending; the tasks included.
  var bytes = 0
  /// The processor's, which other programs do not add to.
  var time = 0.0
  var ended = 0
  var cancels = 0

  init(_ count: Int) {
    let ended = Protected(0)
    let executor = ManualExecutor()
    let sdk = PatientSDK()
    let before = malloc_bytes_in_use()
    let start = clock()
    var tasks: [Task<Void, Never>] = []
    for _ in 0..<count {
      tasks.append(
        Task(executorPreference: executor) {
          do {
            _ = try await withAsyncThrowingValue {
              sdk.begin($0)
            } onCancel: {
              sdk.cancel()
            }
          } catch {
            ended.withLock { $0 += 1 }
          }
        }
      )
    }
    executor.runUntilIdle()
    bytes = (malloc_bytes_in_use() - before) / count
    for task in tasks { task.cancel() }
    executor.runUntilIdle()
    time = Double(clock() - start) / Double(CLOCKS_PER_SEC)
    self.ended = ended.withLock { $0 }
    cancels = sdk.cancels
  }
}

@Suite("Long waits", .watchdog)
struct LongWaitTests {
  @Test
  func `many pending waits all end when cancelled, leave nothing, and take linear time`() async {
    // A process of its own, because other tests use memory too.
    let result = await #expect(
      processExitsWith: .success,
      observing: [\.standardOutputContent]
    ) {
      let inParts = (0..<most / few).reduce(0) { time, _ in
        time + PendingWaits(few).time
      }
      // If any round leaves less than the smallest allocation for each, the rest is the allocator's: bare tasks do the
      // same.
      var left = Int.max
      for _ in 1...5 where left > 8 * most {
        let before = malloc_bytes_in_use()
        let waits = PendingWaits(most)
        left = malloc_bytes_in_use() - before
        let ratio = waits.time / inParts
        print(
          """
          \(most) waits pending and cancelled: \(waits.time) s, in parts of \(few) \(inParts) s, \
          ratio \(ratio)
          \(waits.bytes) bytes for each with its task, \(left) bytes left of \(waits.bytes * most)
          """
        )
        #expect(waits.ended == most)
        #expect(waits.cancels == most)
        // Quadratic time would make it 100 in a release build.
        #expect(ratio < 5)
      }
      if mallocCounts { #expect(left <= 8 * most) }
    }
    print(String(decoding: result?.standardOutputContent ?? [], as: UTF8.self))
  }
}
