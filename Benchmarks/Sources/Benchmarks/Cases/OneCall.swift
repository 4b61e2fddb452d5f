import CooperativeCancellation
import LegacySDK

// One call of an SDK with a `Result`.

extension [Comparison] {
  static func synchronousAnswer(on loop: Loop) -> [Comparison] {
    let sdk = LegacySDK(calls: .atOnce)
    return [
      Comparison("answers at once", to: "raw checked continuation", goal: .atMost(1.25), on: loop) {
        for _ in 0..<$0 {
          use(try await withAsyncThrowingValue { sdk.result($0) })
        }
      } against: {
        for _ in 0..<$0 {
          use(
            try await withCheckedThrowingContinuation { continuation in
              sdk.result { continuation.resume(with: $0) }
            }
          )
        }
      }
    ]
  }

  static func suspension(on loop: Loop) -> [Comparison] {
    let sdk = LegacySDK(calls: .when(idle: loop))
    let bridged: @Sendable (Int) async throws -> Void = {
      for _ in 0..<$0 {
        use(try await withAsyncThrowingValue { sdk.result($0) })
      }
    }
    return [
      Comparison(
        "answers later",
        to: "handler + checked continuation",
        goal: .atMost(1.25),
        on: loop,
        bridged
      ) {
        for _ in 0..<$0 {
          use(
            try await withTaskCancellationHandler {
              try await withCheckedThrowingContinuation { continuation in
                sdk.result { continuation.resume(with: $0) }
              }
            } onCancel: {
            }
          )
        }
      },
      Comparison(
        "answers later",
        to: "by hand, prompt, once, forwards",
        goal: .atMost(1.1),
        on: loop,
        bridged
      ) {
        for _ in 0..<$0 {
          use(try await HandWrittenCall.run(sdk) { _ in })
        }
      },
      Comparison(
        "answers later",
        to: "by hand, and without deadlock",
        goal: .atMost(1.1),
        on: loop,
        bridged
      ) {
        for _ in 0..<$0 {
          use(try await CarefulHandWrittenCall.run(sdk) { _ in })
        }
      },
      onActor(sdk, loop),
    ]
  }

  static func cancellation(on loop: Loop) -> [Comparison] {
    let sdk = LegacySDK(calls: .onDemand)
    return [
      Comparison("cancelled before", to: "Task.checkCancellation()", goal: .atMost(2), on: loop) {
        calls in
        await inCancelledTask {
          for _ in 0..<calls {
            do {
              use(try await withAsyncThrowingValue { sdk.result($0) })
            } catch {
              use(error)
            }
          }
        }
      } against: { calls in
        await inCancelledTask {
          for _ in 0..<calls {
            do {
              try Task.checkCancellation()
            } catch {
              use(error)
            }
          }
        }
      },
      Comparison(
        "cancelled while waiting",
        to: "handler + checked continuation",
        goal: .atMost(1.25),
        on: loop
      ) { calls in
        await cancelWaits(calls) {
          use(try await withAsyncThrowingValue { sdk.result($0) })
        }
        sdk.callBack()
      } against: { calls in
        await cancelWaits(calls) {
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
        }
        sdk.callBack()
      },
    ]
  }
}

/// A caller that is an actor, on the same thread.
actor Caller {
  let sdk: LegacySDK
  private let loop: Loop.Serial

  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  init(_ sdk: LegacySDK, _ loop: Loop.Serial) {
    self.sdk = sdk
    self.loop = loop
  }

  func bridged(_ calls: Int) async throws {
    for _ in 0..<calls {
      use(try await withAsyncThrowingValue { sdk.result($0) })
    }
  }

  func byHand(_ calls: Int) async throws {
    for _ in 0..<calls {
      use(
        try await withTaskCancellationHandler {
          // Isolated to the actor, because it uses a property of the actor.
          try await withCheckedThrowingContinuation { continuation in
            self.sdk.result { continuation.resume(with: $0) }
          }
        } onCancel: {
        }
      )
    }
  }
}

extension [Comparison] {
  private static func onActor(_ sdk: LegacySDK, _ loop: Loop) -> Comparison {
    let caller = Caller(sdk, loop.serial)
    return Comparison(
      "answers later, on an actor",
      to: "handler + checked continuation",
      goal: .none,
      on: loop
    ) {
      try await caller.bridged($0)
    } against: {
      try await caller.byHand($0)
    }
  }
}

private func inCancelledTask(_ work: @escaping @Sendable () async -> Void) async {
  await withTaskGroup(of: Void.self) { group in
    group.cancelAll()
    group.addTask { await work() }
  }
}

/// Lets that many tasks wait and cancels them.
private func cancelWaits(_ count: Int, _ wait: @escaping @Sendable () async throws -> Void) async {
  await withTaskGroup(of: Void.self) { group in
    for _ in 0..<count {
      group.addTask {
        do {
          try await wait()
        } catch {
          use(error)
        }
      }
    }
    await Task.yield()  // On one thread, in order: now all wait.
    group.cancelAll()
  }
}
