internal import CancellationInternals

/// A request that the SDK passes to a callback instead of returning it.
///
/// ```swift
/// try await withAsyncThrowingValue { completion in
///   LateRequest { arrived in
///     sdk.upload(name, taskHandler: arrived, completion: completion)
///   }
/// } onCancel: { late in
///   late.cancel { upload in upload.cancel() }
/// }
/// ```
///
/// `operation` returns the late request, which is kept until the wait ends. The SDK may deliver its
/// request at any time, on any thread: during the call, later, or never. It may deliver several,
/// such as one for each retry.
///
/// For a request that is not `Sendable`, pass `{ @Sendable in arrived($0) }` to the SDK, and begin
/// the closure of ``cancel(_:)`` with `@Sendable in`; or see <doc:GettingStarted>.
///
/// ## Cancellation
///
/// `onCancel` calls ``cancel(_:)``, as above. Its closure gets each request at most once, with no
/// lock held, outside the runtime's cancellation handler:
///
/// - If it arrives before the cancellation or timeout: in `onCancel`, on the caller's actor.
/// - If it arrives later, even after the wait: at once, **on the thread that delivers it**, in the
///   SDK's callback.
///
/// A request that is not cancelled is released when the wait ends or, if it arrives later, at once.
public final class LateRequest<Request>: Sendable {
  private let arrivals: Arrivals<Request>

  /// Calls the SDK and receives its requests.
  ///
  /// - Parameters:
  ///   - start: Calls the SDK with `arrived` as the callback for its request. Runs at once, on the
  ///     caller's actor. Its result is ignored; its error is thrown.
  public init<Ignored>(
    _ start: (_ arrived: @escaping @Sendable (sending Request) -> Void) throws -> Ignored
  ) rethrows {
    arrivals = Arrivals()
    _ = try start { [arrivals] (request: consuming sending Request) in arrivals.arrive(request) }
  }

  /// The same for requests that are `Sendable`: `arrived` has the type of the SDK's callback.
  public init<Ignored>(
    _ start: (_ arrived: @escaping @Sendable (consuming Request) -> Void) throws -> Ignored
  ) rethrows where Request: Sendable {
    arrivals = Arrivals()
    _ = try start { [arrivals] in arrivals.arrive(consume $0) }
  }

  // Only the bridge owns this object, so the wait is over. The SDK owns the arrivals, which do not
  // keep this alive.
  deinit { arrivals.stop(nil) }

  /// Passes each request that has arrived to `cancelOne`, and each later one when it arrives. Call
  /// it in `onCancel`. Only the first call counts.
  public func cancel(_ cancelOne: @escaping @Sendable (Request) -> Void) {
    arrivals.stop(cancelOne)
  }
}

/// The lock around a ``ArrivalsMachine``. The SDK's callback owns it.
private final class Arrivals<Request>: Sendable {
  private let machine = Locked(initially: ArrivalsMachine<Sent<Request>>())

  /// Keeps the request until the task or the last owner takes it, or cancels or releases it here.
  func arrive(_ request: consuming sending Request) {
    var sent: Sent? = Sent(request)
    if let cancelOne = machine.locked({ $0.arrive(&sent) }), let late = sent.take() {
      cancelOne(late)
    }
  }

  /// The bridge forwards a cancellation or a timeout, or, without a closure, the wait is over.
  func stop(_ cancelOne: (@Sendable (Request) -> Void)?) {
    var cancelSent: (@Sendable (Sent<Request>) -> Void)?
    if let cancelOne { cancelSent = { cancelOne($0.open()) } }
    // The user's requests are released here, after unlocking.
    let requests = machine.extract { $0.stop(cancelSent) }
    guard let cancelSent else { return }
    for sent in requests { cancelSent(sent) }
  }
}
