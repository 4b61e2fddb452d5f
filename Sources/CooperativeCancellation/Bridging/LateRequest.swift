/// The request of an SDK that does not return it but passes it to a callback.
///
/// ```swift
/// let receipt = try await withAsyncThrowingValue { completion in
///   LateRequest(cancel: { $0.cancel() }) { arrived in
///     sdk.upload(file, taskHandler: arrived, completion: completion)
///   }
/// } onCancel: {
///   $0.cancel()
/// }
/// ```
///
/// It goes where a request goes: `operation` returns it, and the bridge keeps it until the wait is over.
/// The SDK may hand its request over whenever it likes, from any thread: inside the call, later, after the
/// answer, never. If it hands over several, because it tries again or works in parts, each of them counts.
///
/// A request that is not `Sendable` is handed over as `sending`: write `{ @Sendable in arrived($0) }` for the
/// SDK's callback. <doc:CrossingThreads> says what to do where the compiler does not let it pass.
///
/// ## Cancellation
///
/// Each request is cancelled at most once, with no lock held, and never from inside the runtime's cancellation
/// handler:
///
/// - If it came before the cancellation or the timeout: in `onCancel`, on the caller's actor.
/// - If it came later, even after the wait has ended: as soon as it comes, **on the thread that brings it**,
///   inside the SDK's callback.
///
/// A request that was not cancelled is released when the wait is over, or when it comes after that.
public final class LateRequest<Request>: Sendable {
  private let arrivals: Arrivals<Request>

  /// Calls the SDK, and receives its requests.
  ///
  /// - Parameters:
  ///   - cancel: Tells the SDK to stop. It receives a request, and runs at most once for each: inside
  ///     ``cancel()`` if the request has arrived by then, otherwise on the thread that brings it.
  ///   - start: Calls the SDK. Runs at once, on the caller's actor. What it returns is ignored, what it throws
  ///     is thrown. It receives what to pass to the SDK as the callback for its request.
  public init<Ignored>(
    cancel: @escaping @Sendable (Request) -> Void,
    _ start: (_ arrived: @escaping @Sendable (sending Request) -> Void) throws -> Ignored
  ) rethrows {
    arrivals = Arrivals(cancel)
    _ = try start { [arrivals] in arrivals.arrive($0) }
  }

  /// Calls the SDK, and receives its requests, which are `Sendable`: `arrived` has the type of the SDK's callback.
  ///
  /// - Parameters:
  ///   - cancel: Tells the SDK to stop. It receives a request, and runs at most once for each: inside
  ///     ``cancel()`` if the request has arrived by then, otherwise on the thread that brings it.
  ///   - start: Calls the SDK. Runs at once, on the caller's actor. What it returns is ignored, what it throws
  ///     is thrown. It receives what to pass to the SDK as the callback for its request.
  public init<Ignored>(
    cancel: @escaping @Sendable (Request) -> Void,
    _ start: (_ arrived: @escaping @Sendable (Request) -> Void) throws -> Ignored
  ) rethrows where Request: Sendable {
    arrivals = Arrivals(cancel)
    _ = try start { [arrivals] in arrivals.arrive($0) }
  }

  // The wait is over: only the bridge has this object, while the SDK has the arrivals. So a request that keeps the
  // SDK's callback does not keep itself.
  deinit {
    arrivals.end()
  }

  /// Cancels each request: now, if it has arrived, otherwise when it does. For `onCancel`.
  public func cancel() {
    arrivals.cancel()
  }
}

/// The lock around a ``LateRequestMachine``: what the SDK's callback owns.
private final class Arrivals<Request>: Sendable {
  private let machine = Locked(initially: LateRequestMachine<Disconnected<Request>>())
  private let cancelOne: @Sendable (Request) -> Void

  init(_ cancelOne: @escaping @Sendable (Request) -> Void) {
    self.cancelOne = cancelOne
  }

  func arrive(_ request: sending Request) {
    let disconnected = Disconnected(request)
    if machine.locked({ $0.arrive(disconnected) }) { cancel(disconnected) }
  }

  func cancel() {
    for disconnected in machine.extract({ $0.cancel() }) { cancel(disconnected) }
  }

  private func cancel(_ disconnected: Disconnected<Request>) {
    if let request = disconnected.open() { cancelOne(request) }
  }

  func end() {
    // Released here, after unlocking: they are the user's.
    _ = machine.extract { $0.end() }
  }
}
