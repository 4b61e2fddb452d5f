public import CancellationInternals

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
  /// The SDK's callback shares it.
  @usableFromInline let arrivals = Locked(initially: ArrivalsMachine<Sent<Request>>())

  /// Calls the SDK and receives its requests.
  ///
  /// - Parameters:
  ///   - start: Calls the SDK with `arrived` as the callback for its request. Runs at once, on the
  ///     caller's actor. Its result is ignored; its error is thrown.
  @_alwaysEmitIntoClient
  public init<Ignored>(
    _ start: (_ arrived: @escaping @Sendable (sending Request) -> Void) throws -> Ignored
  ) rethrows {
    _ = try start { [arrivals] (request: consuming sending Request) in
      Self.arrive(Sent(request), arrivals)
    }
  }

  /// The same for requests that are `Sendable`: `arrived` has the type of the SDK's callback.
  @_alwaysEmitIntoClient
  public init<Ignored>(
    _ start: (_ arrived: @escaping @Sendable (consuming Request) -> Void) throws -> Ignored
  ) rethrows where Request: Sendable {
    _ = try start { [arrivals] in Self.arrive(Sent(consume $0), arrivals) }
  }

  // Only the bridge owns this object, so the wait is over. The callback does not keep it alive.
  deinit {
    // Released after unlocking.
    _ = arrivals.extract { $0.stop(nil) }
  }

  /// Passes each request that has arrived to `cancelOne`, and each later one when it arrives. Call
  /// it in `onCancel`. Only the first call counts.
  @_alwaysEmitIntoClient
  public func cancel(_ cancelOne: @escaping @Sendable (Request) -> Void) {
    let cancelSent = { @Sendable (sent: Sent<Request>) in cancelOne(sent.open()) }
    for sent in arrivals.extract({ $0.stop(cancelSent) }) { cancelSent(sent) }
  }

  /// Keeps the request until the task or the last owner takes it, or cancels or releases it here.
  @_alwaysEmitIntoClient
  static func arrive(
    _ request: consuming Sent<Request>,
    _ arrivals: Locked<ArrivalsMachine<Sent<Request>>>
  ) {
    var request: Sent? = consume request
    if let cancelOne = arrivals.locked({ $0.arrive(&request) }), let late = request.take() {
      cancelOne(late)
    }
  }
}
