import CCallbacks
import CooperativeCancellation

extension Scenario {
  static let cCallbacks =
    [CancellationResponse.abandonCallback, .waitForCallback].map(callAndCancellation) + [
      callReleaseAndCancellation, twoCalls, otherTypes, ownerReleases, throwsAfterStart, repeating,
      duringCall,
    ]

  /// What C has: a number. It is not `Sendable`, because it looks like an address.
  private struct Pointer: Sendable {
    private let number: UInt

    init(_ pointer: UnsafeMutableRawPointer) { number = UInt(bitPattern: pointer) }

    var raw: UnsafeMutableRawPointer? { UnsafeMutableRawPointer(bitPattern: number) }

    func call(_ number: Int = 1) { CallbackContext.call(raw, Int32(number)) }
    func release() { CallbackContext.release(raw) }
  }

  /// A call whose closure C carries, and a thread that cancels it.
  private static func context(
    _ title: String,
    _ response: CancellationResponse = .abandonCallback,
    isCancelled: Bool = true,
    outcomes: Set<String>,
    _ library: @escaping @Sendable (Run, Pointer) throws -> Void
  ) -> Scenario {
    Scenario("context, \(response): \(title)", outcomes: outcomes) { run in
      let call = Call(in: run)
      let task = call.begin {
        try await withAsyncThrowingValue(whenCancelled: response) {
          (completion: @escaping Completion) in
          // Captured, so that its release shows where the closure is released.
          let captured = Tracked("closure", in: run)
          let context = CallbackContext { (_: Int32) in
            run.userCode("callback")
            withExtendedLifetime(captured) { completion(.success(call.value())) }
          }
          try library(run, Pointer(context.pointer))
          return context
        } onCancel: { (_: CallbackContext) in
          call.onCancel()
        } onDiscard: {
          call.onDiscard($0)
        }
      }
      if isCancelled { run.thread("canceller") { task.cancel() } }
    }
  }

  /// A callback after the wait finds no closure, so no value is made.
  private static func callAndCancellation(_ response: CancellationResponse) -> Scenario {
    let outcomes: Set = [
      "value", "cancelled", "cancelled, forwarded, discarded",
    ]
    return context(
      "callback, cancellation",
      response,
      outcomes: response == .abandonCallback
        ? outcomes.union(["cancelled, forwarded"]) : outcomes
    ) { run, pointer in
      run.thread("C") { pointer.call() }
    }
  }

  /// The library's destroy callback. If it comes first, the completion is dropped.
  private static let callReleaseAndCancellation = context(
    "callback, release, cancellation",
    outcomes: [
      "value", "dropped", "cancelled", "cancelled, forwarded, discarded", "cancelled, forwarded",
      "cancelled, forwarded, discarded",
    ]
  ) { run, pointer in
    run.thread("C") { pointer.call() }
    run.thread("C's owner") { pointer.release() }
  }

  /// The second one finds no closure: it is no misuse.
  private static let twoCalls = context(
    "callback, callback",
    isCancelled: false,
    outcomes: ["value"]
  ) { run, pointer in
    for number in 1...2 {
      run.thread("C \(number)") { pointer.call() }
    }
  }

  /// A call with other types releases the closure, unless the right call has it.
  private static let otherTypes = context(
    "callback with other types, callback",
    isCancelled: false,
    outcomes: ["value", "dropped, report of contextCalledWithOtherTypes"]
  ) { run, pointer in
    run.thread("wrong") { CallbackContext.call(pointer.raw, "text") }
    run.thread("C") { pointer.call() }
  }

  private static let throwsAfterStart = context(
    "throws, callback, cancellation",
    outcomes: ["error", "error, discarded", "cancelled"]
  ) { run, pointer in
    run.thread("C") { pointer.call() }
    throw SDKError()
  }

  /// Whoever owns the context releases it while C calls back: the closure is called or released.
  private static let ownerReleases = Scenario(
    "context: callback, release of its owner, release",
    outcomes: ["called", "released"]
  ) { run in
    let isCalled = Shared(false)
    let captured = Tracked("closure", in: run)
    let context = CallbackContext { (_: Int32) in
      run.userCode("callback")
      run.expect(!isCalled.value, "the closure is called again")
      isCalled.value = true
      withExtendedLifetime(captured) {}
    }
    let pointer = Pointer(context.pointer)
    let owner = Shared<CallbackContext?>(context)
    run.thread("owner") { owner.value = nil }
    run.thread("C") { pointer.call() }
    run.thread("C's owner") { pointer.release() }
    run.atEnd { run.saw(isCalled.value ? "called" : "released") }
  }

  /// A call after the release does nothing.
  private static let repeating = Scenario(
    "context, repeating: callback, callback, release",
    outcomes: ["0 calls", "1 calls", "2 calls"]
  ) { run in
    let calls = Shared<Set<Int>>([])
    let isReleased = Shared(false)
    let captured = Tracked("closure", in: run)
    let context = CallbackContext(isRepeating: true) { (number: Int32) in
      run.userCode("callback")
      calls.value.insert(Int(number))
      withExtendedLifetime(captured) {}
    }
    let pointer = Pointer(context.pointer)
    for number in 1...2 {
      run.thread("C \(number)") {
        let wasReleased = isReleased.value
        pointer.call(number)
        run.expect(!wasReleased || !calls.value.contains(number), "called after the release")
      }
    }
    run.thread("owner") {
      context.release()
      isReleased.value = true
    }
    run.atEnd { run.saw("\(calls.value.count) calls") }
  }

  /// A C library that calls back once more after the call.
  private static let duringCall = Scenario(
    "context, during a call: callback, end of the call",
    outcomes: ["result", "otherwise"]
  ) { run in
    run.thread("caller") {
      let captured = Tracked("closure", in: run)
      withCallbackContext { (_: Int32) -> String in
        run.userCode("callback")
        return withExtendedLifetime(captured) { "result" }
      } in: { context in
        let pointer = Pointer(context)
        run.thread("C") {
          run.saw(CallbackContext.call(pointer.raw, Int32(1), otherwise: "otherwise"))
        }
        run.step("call")
      }
    }
  }
}
