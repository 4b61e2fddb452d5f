import CooperativeCancellation
import LegacySDK
import MallocCounter
import Synchronization

// The memory of 10,000 tasks that wait at the same time.

extension [Comparison] {
  static func waits(on loop: Loop) -> [Comparison] {
    let sdk = LegacySDK(calls: .onDemand)
    let caller = Caller(sdk, loop.serial)
    func comparison(
      _ name: String,
      _ bridged: @escaping @Sendable () async -> Void,
      against byHand: @escaping @Sendable () async -> Void
    ) -> Comparison {
      Comparison(
        name: name,
        baseline: "handler + checked continuation",
        unit: .bytes,
        goal: .atMost(1.16),
        rounds: 10,
        sample: { try bytes(ofWait: bridged, for: sdk, on: loop) },
        sampleBaseline: { try bytes(ofWait: byHand, for: sdk, on: loop) }
      )
    }
    return [
      comparison("memory of a wait") {
        await wait(for: sdk)
      } against: {
        await waitByHand(for: sdk)
      },
      comparison("memory of a wait on an actor") {
        await caller.wait()
      } against: {
        await caller.waitByHand()
      },
    ]
  }
}

/// The bytes that `malloc` has given out while all tasks wait, for each, including its task.
private func bytes(
  ofWait wait: @escaping @Sendable () async -> Void,
  for sdk: LegacySDK,
  on loop: Loop
) throws -> Double {
  let count = 10_000
  let found = Mutex(0)
  try loop.run {
    let before = malloc_bytes_in_use()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<count { group.addTask { await wait() } }
      // On one thread, in order: now all have begun, and then all wait, on an actor too.
      for _ in 1...2 { await Task.yield() }
      found.withLock { $0 = malloc_bytes_in_use() - before }
      group.cancelAll()
    }
  }
  sdk.callBack()
  return Double(found.withLock { $0 }) / Double(count)
}

/// Waits until the SDK answers or the task is cancelled. Inlined, as code that is written in place.
@inline(__always)
nonisolated(nonsending) func wait(for sdk: LegacySDK) async {
  do { use(try await withAsyncThrowingValue { sdk.result($0) }) } catch { use(error) }
}

@inline(__always)
nonisolated(nonsending) func waitByHand(for sdk: LegacySDK) async {
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

/// A caller that is an actor, on the same thread.
private actor Caller {
  private let sdk: LegacySDK
  private let loop: Loop.Serial

  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  init(_ sdk: LegacySDK, _ loop: Loop.Serial) {
    self.sdk = sdk
    self.loop = loop
  }

  func wait() async { await Benchmarks.wait(for: sdk) }
  func waitByHand() async { await Benchmarks.waitByHand(for: sdk) }
}
