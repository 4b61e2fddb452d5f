// Wrappers over SDKs with values to close, and with continuations: the code of the page "Test your
// wrapper".

import CooperativeCancellation
import CooperativeCancellationTesting
import FakeCallbackSDK
import Testing

// MARK: Values that must be closed, and a wrapper that belongs to no actor

protocol Door: Sendable {
  func close()
}

protocol DoorSDK {
  typealias Completion = @Sendable ((any Door)?, (any Error)?) -> Void

  func openDoor(_ completion: @escaping Completion) -> Int
  func cancelOpening(_ number: Int)
}

struct Doors {
  let sdk: any DoorSDK

  func open() async throws -> any Door {
    try await withAsyncThrowingValue { completion in
      sdk.openDoor(completion)
    } onCancel: { number in
      sdk.cancelOpening(number)
    } onDiscard: { door in
      door.close()
    }
  }
}

struct FakeDoorSDK: DoorSDK {
  var openings = FakeCall<Completion>()

  func openDoor(_ completion: @escaping Completion) -> Int { openings.record(completion).number }

  func cancelOpening(_ number: Int) { openings[number]?.cancel() }
}

final class FakeDoor: Door {
  private let open: LiveCount

  init(_ open: LiveCount) {
    self.open = open
    open.increment()
  }

  func close() { open.decrement() }
}

@Suite("Wrappers of other kinds", .watchdog) struct WrapperKindTests {
  @Test func `a plain type over an SDK whose values must be closed`() async throws {
    let open = LiveCount()
    try await checkWrapper(values: open) { openings in
      try await Doors(sdk: FakeDoorSDK(openings: openings)).open()
    } success: { completion in
      completion(FakeDoor(open), nil)
    } failure: { completion in
      completion(nil, ServerError())
    }
  }

  @Test func `a continuation, kept in a table until the SDK answers`() async throws {
    typealias Waiting = Protected<[Int: CancellableContinuation<any Door, any Error>]>
    let open = LiveCount()
    let exceptions: Set<WrapperGuarantee> = [.checkBefore, .checkAfter, .droppedCompletion]
    try await checkWrapper(values: open, except: exceptions) {
      (openings: FakeCall<DoorSDK.Completion>) in
      let waiting = await openings.wrapper { Waiting([:]) }
      let sdk = FakeDoorSDK(openings: openings)
      let number = openings.callCount + 1
      return try await withCancellableThrowingContinuation { continuation in
        waiting.withLock { $0[number] = continuation }
        return sdk.openDoor { door, error in
          let continuation = waiting.withLock { $0[number] }
          continuation?.resume(with: door.map { .success($0) } ?? .failure(error ?? ServerError()))
        }
      } onCancel: { request in
        sdk.cancelOpening(request)
      } onDiscard: { door in
        door.close()
      }
    } success: { completion in
      completion(FakeDoor(open), nil)
    } failure: { completion in
      completion(nil, ServerError())
    }
  }

  @Test func `a continuation that the SDK keeps`() async throws {
    typealias Continuation = CancellableContinuation<Int, any Error>
    try await checkWrapper(except: [.checkBefore, .checkAfter]) { (calls: FakeCall<Continuation>) in
      try await withCancellableThrowingContinuation { continuation in
        calls.record(continuation)
      } onCancel: { request in
        request.cancel()
      }
    } success: { continuation in
      continuation.resume(returning: 1)
    } failure: { continuation in
      continuation.resume(throwing: ServerError())
    }
  }

  @Test func `a wait that ignores cancellation`() async throws {
    try await checkWrapper(whenCancelled: .ignoreCancellation, except: [.droppedCompletion]) {
      calls in
      await withAsyncValue { completion in _ = calls.record(completion) }
    } success: { (completion: @Sendable (Int) -> Void) in
      completion(1)
    }
  }
}
