// Wrappers over SDKs with values to close, and with a stream: the code of the page "Test your wrapper".

import CooperativeCancellation
import CooperativeCancellationTesting
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

/// The same with a continuation, which may be kept in a table until the SDK answers.
@MainActor
final class DoorsByNumber {
  private let sdk: any DoorSDK
  private let isStored: Bool
  private var waiting: [Int: CancellableContinuation<any Door, any Error>] = [:]
  private var lastNumber = 0

  init(sdk: any DoorSDK, isStored: Bool) {
    self.sdk = sdk
    self.isStored = isStored
  }

  func open() async throws -> any Door {
    lastNumber += 1
    let number = lastNumber
    defer { waiting[number] = nil }
    return try await withCancellableThrowingContinuation { continuation in
      if isStored { waiting[number] = continuation }
      return sdk.openDoor { door, error in
        continuation.resume(with: door.map { .success($0) } ?? .failure(error ?? ServerError()))
      }
    } onCancel: { request in
      sdk.cancelOpening(request)
    } onDiscard: { door in
      door.close()
    }
  }
}

struct FakeDoorSDK: DoorSDK {
  var openings = FakeCall<Completion>()

  func openDoor(_ completion: @escaping Completion) -> Int {
    openings.record(completion).number
  }

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

// MARK: A stream

protocol Thermometer: AnyObject {
  func addListener(_ listener: @escaping @Sendable (Double) -> Void) -> any Listening
}

protocol Listening {
  func stop()
}

@MainActor
final class Weather {
  private let thermometer: any Thermometer

  init(thermometer: any Thermometer) {
    self.thermometer = thermometer
  }

  func degrees() -> AsyncCallbackSequence<Double> {
    AsyncCallbackSequence(buffering: .newest(1)) { [thermometer] yield in
      thermometer.addListener(yield)
    } onTermination: { listening in
      listening.stop()
    }
  }
}

final class FakeThermometer: Thermometer {
  let listeners: FakeCall<@Sendable (Double) -> Void>

  init(listeners: FakeCall<@Sendable (Double) -> Void> = FakeCall()) {
    self.listeners = listeners
  }

  func addListener(_ listener: @escaping @Sendable (Double) -> Void) -> any Listening {
    listeners.record(listener)
  }
}

extension FakeCall.Request: Listening {
  func stop() { cancel() }
}

@Suite("Wrappers of other kinds", .watchdog)
struct WrapperKindTests {
  @Test
  func `a plain type over an SDK whose values must be closed`() async throws {
    // snippet.checkValues
    let open = LiveCount()
    try await checkWrapper(values: open) { openings in
      try await Doors(sdk: FakeDoorSDK(openings: openings)).open()
    } success: { completion in
      completion(FakeDoor(open), nil)
    } failure: { completion in
      completion(nil, ServerError())
    }
  }

  @Test(arguments: [false, true])
  func `a continuation, resumed in the callback or kept in a table`(isStored: Bool) async throws {
    let open = LiveCount()
    var exceptions: Set<WrapperGuarantee> = [.checkBefore, .checkAfter]
    if isStored { exceptions.insert(.droppedCompletion) }
    try await checkWrapper(values: open, except: exceptions) { @MainActor openings in
      let doors = await openings.wrapper {
        DoorsByNumber(sdk: FakeDoorSDK(openings: openings), isStored: isStored)
      }
      return try await doors.open()
    } success: { completion in
      completion(FakeDoor(open), nil)
    } failure: { completion in
      completion(nil, ServerError())
    }
  }

  @Test
  func `a continuation that the SDK keeps`() async throws {
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

  @Test
  func `a wait that ignores cancellation`() async throws {
    // snippet.checkUncancellable
    try await checkWrapper(whenCancelled: .ignoreCancellation, except: [.droppedCompletion]) {
      calls in
      await withAsyncValue { completion in _ = calls.record(completion) }
    } success: { (completion: @Sendable (Int) -> Void) in
      completion(1)
    }
  }

  // snippet.streamTest
  @Test @MainActor
  func `the last reading counts, and a loop that ends stops listening`() async throws {
    let thermometer = FakeThermometer()
    let weather = Weather(thermometer: thermometer)
    let task = Task {
      for await degrees in weather.degrees() where degrees > 30 { return degrees }
      return 0
    }
    let listening = try await thermometer.listeners.next()
    listening.answer { $0(20) }
    listening.answer { $0(31) }
    #expect(try await task.value(within: .seconds(10)) == 31)
    try await listening.cancelled()
  }
}
