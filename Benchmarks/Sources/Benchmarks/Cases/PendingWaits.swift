import CooperativeCancellation
import LegacySDK
import MallocCounter
import Synchronization

// Many tasks that wait at the same time.

extension [Comparison] {
  static func pendingWaits(on loop: Loop) -> [Comparison] {
    let sdk = LegacySDK(calls: .onDemand)
    let bridged: @Sendable () async -> Void = {
      do {
        use(try await withAsyncThrowingValue { sdk.result($0) })
      } catch {
        use(error)
      }
    }
    let byHand: @Sendable () async -> Void = {
      do {
        let box = ContinuationBox()
        use(
          try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
              box.put(continuation)
              sdk.result { box.resume(with: $0) }
            }
          } onCancel: {
            box.resume(with: .failure(CancellationError()))
          }
        )
      } catch {
        use(error)
      }
    }
    func comparison(
      _ name: String,
      _ unit: Comparison.Unit,
      _ count: Int,
      _ amount: @escaping @Sendable (PendingWaits) -> Double
    ) -> Comparison {
      Comparison(
        name: "\(name), of \(grouped(count))",
        baseline: "handler + checked continuation",
        unit: unit,
        goal: .atMost(1.2),
        rounds: Swift.max(3, 100_000 / count),
        sample: { try amount(PendingWaits(count, on: loop, callBack: sdk.callBack, bridged)) },
        sampleBaseline: {
          try amount(PendingWaits(count, on: loop, callBack: sdk.callBack, byHand))
        }
      )
    }
    let counts = [1_000, 10_000, 100_000, 1_000_000]
    return counts.map { comparison("memory of a wait", .bytes, $0) { $0.bytes } }
      + counts.map {
        comparison("cancel of a waiting group, per wait", .nanoseconds, $0) { $0.cancel }
      }
  }
}

/// 1 000 000
func grouped(_ number: Int) -> String {
  let digits = Array(String(number))
  return digits.indices.reduce(into: "") { text, index in
    if index > 0, (digits.count - index).isMultiple(of: 3) { text += " " }
    text.append(digits[index])
  }
}

/// The cost of one of many waits, including its task.
private struct PendingWaits {
  /// Bytes in use by `malloc` while all tasks wait.
  let bytes: Double
  /// Nanoseconds from the cancellation of the group to its end.
  let cancel: Double

  init(
    _ count: Int,
    on loop: Loop,
    callBack: () -> Void,
    _ wait: @escaping @Sendable () async -> Void
  ) throws {
    let found = Mutex((use: 0, time: Duration.zero))
    try loop.run {
      let before = malloc_bytes_in_use()
      let (use, cancelled) = await withTaskGroup(of: Void.self) { group in
        for _ in 0..<count {
          group.addTask { await wait() }
        }
        await Task.yield()  // On one thread, in order: now all wait.
        let use = malloc_bytes_in_use() - before
        let cancelled = ContinuousClock.now
        group.cancelAll()
        return (use, cancelled)
      }
      let time = ContinuousClock.now - cancelled
      found.withLock { $0 = (use, time) }
    }
    callBack()
    bytes = Double(found.withLock(\.use)) / Double(count)
    cancel = found.withLock(\.time) / .nanoseconds(1) / Double(count)
  }
}
