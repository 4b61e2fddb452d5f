// The code of the page "Cancellation by example".

import CooperativeCancellation
import Dispatch
import Synchronization

// MARK: - The lost request

@MainActor
final class Photos {
  private let sdk = PhotoSDK()

  func photoByHand(_ name: String) async throws -> String {
    let request = Mutex<PhotoSDK.Request?>(nil)
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let started = sdk.load(name) { continuation.resume(with: $0) }
        request.withLock { $0 = started }
      }
    } onCancel: {
      request.withLock { $0?.cancel() }
    }
  }

  func photo(_ name: String) async throws -> String {
    try await withAsyncThrowingValue { completion in
      sdk.load(name, completion)
    } onCancel: { request in
      request.cancel()
    }
  }
}

let photos = Photos()

print("\nby hand, cancelled at once")
await cancelAtOnce { try await photos.photoByHand("beach") }

print("\nwith the library")
await cancelAtOnce { try await photos.photo("beach") }

// MARK: - The success that loses

@MainActor
final class Tunnel {
  let vpn = VPN()

  func startCancellingTheAttempt() async throws {
    try await withAsyncThrowingValue { completion in
      vpn.start(completion)
    } onCancel: { attempt in
      attempt.cancel()
    }
  }

  func start() async throws {
    try await withAsyncThrowingValue { completion in
      vpn.start(completion)
    } onCancel: { _ in
      vpn.stop()
    }
  }
}

let tunnel = Tunnel()

print("\nonCancel cancels the attempt")
await cancelJustAfterSuccess { try await tunnel.startCancellingTheAttempt() }
log("the tunnel is up: \(tunnel.vpn.isUp)")
tunnel.vpn.stop()

print("\nonCancel stops the tunnel")
await cancelJustAfterSuccess { try await tunnel.start() }
log("the tunnel is up: \(tunnel.vpn.isUp)")

// MARK: - The delegate that nothing retains

@MainActor
final class Places {
  func placeWithoutDelegate() async throws -> String {
    try await withAsyncThrowingValue { completion in
      let finder = PlaceFinder()
      let delegate = PlaceDelegate(completion)
      finder.delegate = delegate  // Weak, as most delegates are.
      finder.start()
    }
  }

  func place() async throws -> String {
    try await withAsyncThrowingValue { completion in
      let finder = PlaceFinder()
      let delegate = PlaceDelegate(completion)
      finder.delegate = delegate
      finder.start()
      return (finder, delegate)
    } onCancel: { finder, _ in
      finder.stop()
    }
  }
}

let places = Places()

print("\nthe delegate is a local variable")
await wait { try await places.placeWithoutDelegate() }

print("\nthe delegate is returned")
await wait { try await places.place() }

// MARK: - The timeout that waits

struct TimedOut: Error {}

func withTimeout<Value: Sendable>(
  _ limit: Duration,
  _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
  try await withThrowingTaskGroup { group in
    group.addTask { try await body() }
    group.addTask {
      try await Task.sleep(for: limit)
      throw TimedOut()
    }
    defer { group.cancelAll() }
    for try await value in group { return value }
    throw TimedOut()  // Not reached: the group has two tasks.
  }
}

/// An `async` function that ignores cancellation.
@Sendable func summary() async -> String {
  await withCheckedContinuation { continuation in
    after(1) { continuation.resume(returning: "a short summary") }
  }
}

print("\na task group, limited to 0.2 seconds")
await wait { try await withTimeout(.seconds(0.2)) { await summary() } }

print("\nan abandonable task, limited to 0.2 seconds")
await wait { try await withAbandonableTask(timeout: .seconds(0.2)) { await summary() } }

// MARK: - The closure without @Sendable

@MainActor
final class Recorder {
  private let sdk = OldRecordingSDK()

  /// Crashes if the module of the SDK was compiled in an earlier language mode. Here it was not.
  func recordNameWithoutSendable() async throws -> String {
    try await withAsyncThrowingValue { completion in
      sdk.record { name, error in completion(name?.uppercased(), error) }
    }
  }

  func recordName() async throws -> String {
    try await withAsyncThrowingValue { completion in
      sdk.record { @Sendable name, error in completion(name?.uppercased(), error) }
    }
  }
}

print("\nwith @Sendable")
await wait { try await Recorder().recordName() }

// MARK: - What prints the lines

func log(_ line: String) {
  let tenths = Int(((ContinuousClock.now - start.withLock { $0 }) / .milliseconds(100)).rounded())
  print("\(tenths / 10).\(tenths % 10) s  \(line)")
}

@MainActor
func wait(_ body: @MainActor () async throws -> some Sendable) async {
  start.withLock { $0 = .now }
  do {
    let value = try await body()
    log("the caller gets \(value)")
  } catch {
    log("the caller gets \(error)")
  }
}

@MainActor
func cancelAtOnce(_ body: @escaping @MainActor () async throws -> String) async {
  await wait {
    let task = Task { try await body() }
    task.cancel()
    return try await task.value
  }
}

/// Cancels the task when the SDK has succeeded and the task has not yet run again.
@MainActor
func cancelJustAfterSuccess(_ body: @escaping @MainActor () async throws -> Void) async {
  await wait {
    let task = Task { try await body() }
    tunnel.vpn.onSuccess = { task.cancel() }
    return try await task.value
  }
}

// MARK: - SDKs that cannot be changed

let start = Mutex(ContinuousClock.now)

func after(_ seconds: Double, _ body: @escaping @Sendable () -> Void) {
  DispatchQueue.global().asyncAfter(deadline: .now() + seconds, execute: body)
}

nonisolated struct PhotoSDK: Sendable {
  final class Request: Sendable {
    private let work: Mutex<(@Sendable (Result<String, any Error>) -> Void)?>

    init(_ completion: @escaping @Sendable (Result<String, any Error>) -> Void) {
      work = Mutex(completion)
    }

    func finish(_ photo: String) {
      guard let completion = work.withLock({ $0.take() }) else { return }
      log("SDK: \(photo) is loaded")
      completion(.success(photo))
    }

    func cancel() {
      guard let completion = work.withLock({ $0.take() }) else { return }
      log("SDK: cancelled")
      completion(.failure(CancellationError()))
    }
  }

  func load(
    _ name: String,
    _ completion: @escaping @Sendable (Result<String, any Error>) -> Void
  ) -> Request {
    log("SDK: loading \(name)")
    let request = Request(completion)
    after(1) { request.finish("\(name).jpeg") }
    return request
  }
}

/// Answers on the main thread, so that the task cannot run before it has been cancelled.
@MainActor
final class VPN {
  @MainActor
  struct Attempt {
    let vpn: VPN
    func cancel() { if !vpn.isUp { vpn.stop() } }
  }

  private(set) var isUp = false
  var onSuccess = {}

  func start(_ completion: @escaping @Sendable ((any Error)?) -> Void) -> Attempt {
    DispatchQueue.main.asyncAfter(deadline: .now() + 0.1) {
      MainActor.assumeIsolated {
        self.isUp = true
        log("SDK: connected")
        completion(nil)
        self.onSuccess()
      }
    }
    return Attempt(vpn: self)
  }

  func stop() {
    if isUp { log("SDK: disconnected") }
    isUp = false
  }
}

nonisolated final class PlaceDelegate: Sendable {
  private let completion: @Sendable (Result<String, any Error>) -> Void

  init(_ completion: @escaping @Sendable (Result<String, any Error>) -> Void) {
    self.completion = completion
  }

  func didFind(_ place: String) { completion(.success(place)) }
}

nonisolated final class PlaceFinder {
  weak var delegate: PlaceDelegate?

  func start() { after(0.2) { [weak delegate] in delegate?.didFind("Ulm") } }
  func stop() { delegate = nil }
}

/// From before Swift 6: its handler is not `@Sendable`, and runs on the SDK's thread.
nonisolated final class OldRecordingSDK {
  func record(_ handler: @escaping (String?, (any Error)?) -> Void) {
    nonisolated(unsafe) let handler = handler
    after(0.2) { handler("ann", nil) }
  }
}
