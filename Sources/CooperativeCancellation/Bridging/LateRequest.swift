/// The request of an SDK that does not return it but passes it to a callback.
///
/// ```swift
/// let receipt = try await withAsyncThrowingValue { completion in
///   LateRequest { arrived in
///     sdk.upload(file, taskHandler: arrived, completion: completion)
///   }
/// } onCancel: { task in
///   task.whenArrived { $0.cancel() }
/// }
/// ```
///
/// It goes where a request goes: `operation` returns it, and the bridge keeps it until the wait is over.
/// The SDK may hand its request over whenever it likes, from any thread: inside the call, later, after the
/// answer, never. If it hands over several, because it tries again or works in parts, each of them is kept.
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
  private let arrivals = Arrivals<Request>()

  /// Calls the SDK, and receives its requests.
  ///
  /// - Parameter start: Calls the SDK. Runs at once, where it is called. What it returns is ignored, what it
  ///   throws is thrown. It receives what to pass to the SDK as the callback for its request.
  public init<Ignored>(
    _ start: (_ arrived: @escaping @Sendable (sending Request) -> Void) throws -> Ignored
  ) rethrows {
    _ = try start { [arrivals] in arrivals.arrive($0) }
  }

  /// Calls the SDK, and receives its requests: the form for those that are `Sendable`, where `arrived` has the
  /// type that the SDK's callback has.
  ///
  /// - Parameter start: Calls the SDK. Runs at once, where it is called. What it returns is ignored, what it
  ///   throws is thrown. It receives what to pass to the SDK as the callback for its request.
  public init<Ignored>(
    _ start: (_ arrived: @escaping @Sendable (Request) -> Void) throws -> Ignored
  ) rethrows where Request: Sendable {
    _ = try start { [arrivals] in arrivals.arrive($0) }
  }

  /// Cancels each request: now, if it has arrived, otherwise when it does. Call it in `onCancel`.
  ///
  /// Only the first call counts. Once the wait has ended without it, nothing is cancelled.
  ///
  /// - Parameter cancel: Tells the SDK to stop. Runs at most once for each request, with no lock held: before
  ///   this method returns if the request has arrived; later, on the thread that brings the request, inside the
  ///   SDK's callback.
  public func whenArrived(_ cancel: @escaping @Sendable (Request) -> Void) {
    arrivals.cancel(cancel)
  }

  // The wait is over: nobody but the bridge has this object, for the SDK only has the arrivals. So a request that
  // keeps the SDK's callback is not kept by it.
  deinit {
    arrivals.end()
  }
}

/// The lock around a ``LateRequestMachine``: what the SDK's callback owns.
private final class Arrivals<Request>: Sendable {
  /// In a structure, because a closure that passes through the lock by itself is wrapped once more each time.
  struct Cancellation: Sendable {
    let apply: @Sendable (Request) -> Void

    func apply(to parcel: Parcel<Request>) {
      if let request = parcel.open() { apply(request) }
    }
  }

  private let machine = Locked(
    initially: LateRequestMachine<Parcel<Request>, Cancellation>()
  )

  func arrive(_ request: sending Request) {
    let parcel = Parcel(request)
    machine.locked { $0.arrive(parcel) }?.apply(to: parcel)
  }

  func cancel(_ cancel: @escaping @Sendable (Request) -> Void) {
    let cancellation = Cancellation(apply: cancel)
    for parcel in machine.extract({ $0.cancel(cancellation) }) { cancellation.apply(to: parcel) }
  }

  func end() {
    // Released here, after unlocking: they are the user's.
    _ = machine.extract { $0.end() }
  }
}
