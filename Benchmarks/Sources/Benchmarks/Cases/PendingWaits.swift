import CooperativeCancellation
import LegacySDK
import MallocCounter
import Synchronization

// Many tasks that wait at the same time.

extension [Comparison] {
  static func pendingWaits(on loop: Loop) -> [Comparison] {
    let sdk = LegacySDK(calls: .onDemand)
    let actor = Caller(sdk, loop.serial)
    func comparison(
      _ name: String,
      _ unit: Comparison.Unit = .bytes,
      _ bridged: @escaping @Sendable () async -> Void,
      against byHand: @escaping @Sendable () async -> Void,
      taking amount: @escaping @Sendable (PendingWaits) -> Double = { $0.bytes }
    ) -> Comparison {
      Comparison(
        name: name,
        baseline: "handler + checked continuation",
        unit: unit,
        goal: .atMost(1.2),
        rounds: 10,
        sample: { try amount(PendingWaits(10_000, on: loop, callBack: sdk.callBack, bridged)) },
        sampleBaseline: {
          try amount(PendingWaits(10_000, on: loop, callBack: sdk.callBack, byHand))
        }
      )
    }
    return [
      comparison("memory of a wait\(Lock.suffix)") {
        await wait(sdk)
      } against: {
        await waitByHand(sdk)
      },
      comparison("memory of a wait on an actor\(Lock.suffix)") {
        await actor.wait()
      } against: {
        await actor.waitByHand()
      },
      comparison("memory of a wait on an actor, timeout: 1 h\(Lock.suffix)") {
        await actor.waitWithTimeout()
      } against: {
        await actor.waitByHand()
      },
      comparison("cancel of a waiting group, per wait, of 10 000", .nanoseconds) {
        await wait(sdk)
      } against: {
        await waitByHand(sdk)
      } taking: {
        $0.cancel
      },
    ]
  }
}

private func wait(_ sdk: LegacySDK) async {
  do {
    use(try await withAsyncThrowingValue { sdk.result($0) })
  } catch {
    use(error)
  }
}

private func waitByHand(_ sdk: LegacySDK) async {
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

extension Caller {
  fileprivate func wait() async {
    do {
      use(try await withAsyncThrowingValue { sdk.result($0) })
    } catch {
      use(error)
    }
  }

  fileprivate func waitWithTimeout() async {
    do {
      use(try await withAsyncThrowingValue(timeout: .seconds(3_600)) { sdk.result($0) })
    } catch {
      use(error)
    }
  }

  fileprivate func waitByHand() async {
    do {
      let box = ContinuationBox()
      use(
        try await withTaskCancellationHandler {
          // Isolated to the actor, because it uses a property of the actor.
          try await withCheckedThrowingContinuation { continuation in
            box.put(continuation)
            self.sdk.result { box.resume(with: $0) }
          }
        } onCancel: {
          box.resume(with: .failure(CancellationError()))
        }
      )
    } catch {
      use(error)
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
        // On one thread, in order: now all have begun, and then all wait, on an actor too.
        for _ in 1...2 { await Task.yield() }
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
