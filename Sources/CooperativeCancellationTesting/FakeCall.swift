public import CooperativeCancellation

/// A method of an SDK that answers when a test says so.
///
/// It records each call and keeps the completion handler for the test. A fake SDK has one for each
/// method:
///
/// ```swift
/// struct FakeArticleSDK: ArticleSDK {
///   var loads = FakeCall<Completion>()
///
///   func load(_ number: Int, _ completion: @escaping Completion) -> FakeCall<Completion>.Request {
///     loads.record(completion)
///   }
/// }
///
/// extension FakeCall.Request: ArticleRequest {}
/// ```
///
/// `Completion` is what the SDK calls: a closure of any shape, a tuple of closures, a delegate,
/// usually held weakly (``record(weakly:)``), or a continuation. Any thread may use a fake. Only
/// `whenCancelled` runs under a lock.
public final class FakeCall<Completion: Sendable>: Sendable {
  private struct State: Sendable {
    var requests: [Request] = []
    /// How many requests a test has received.
    var handedOut = 0
    var onCall: @Sendable (Request) -> Void = { _ in }
    var onCancel: @Sendable (Request) -> Void = { _ in }
    var holdsRequestsBack = false
    var wrapper: (any Sendable)?

    mutating func next() -> Request? {
      guard handedOut < requests.count else { return nil }
      handedOut += 1
      return requests[handedOut - 1]
    }
  }

  private let state = Observed(State())
  private let lock = SDKLock()
  private let collector = RuntimeIssue.collector.get()

  /// Creates a method that has not been called.
  public init() {}

  /// How many times the method was called.
  public var callCount: Int { state.state.requests.count }

  /// The call with a number, counted from 1, for SDKs that cancel by number.
  public subscript(number: Int) -> Request? {
    let requests = state.state.requests
    return requests.indices.contains(number - 1) ? requests[number - 1] : nil
  }

  /// Records a call in the fake's method. Keeps `completion` until ``Request/drop()``. Returns the
  /// SDK's request.
  @discardableResult
  public func record(_ completion: Completion) -> Request { record { completion } }

  /// Records a call as an SDK does that holds its delegate weakly. Without an owner in the wrapper,
  /// no answer arrives.
  @discardableResult
  public func record(weakly delegate: Completion) -> Request where Completion: AnyObject {
    record { [weak delegate] in delegate }
  }

  private func record(_ completion: @escaping @Sendable () -> Completion?) -> Request {
    let (request, onCall) = state.change { state in
      let contents = Request.State(
        completion: completion,
        onCancel: state.onCancel,
        holdsBack: state.holdsRequestsBack
      )
      let number = state.requests.count + 1
      let request = Request(number, lock, RuntimeIssue.collector.get() ?? collector, contents)
      state.requests.append(request)
      return (request, state.onCall)
    }
    onCall(request)
    return request
  }

  /// Returns the wrapper under test, which the first call of a trial creates, on its actor:
  /// `checkWrapper` then also tries ``WrapperGuarantee/twoCalls`` and
  /// ``WrapperGuarantee/nextCall``.
  ///
  /// ```swift
  /// let articles = await loads.wrapper { Articles(sdk: FakeArticleSDK(loads: loads)) }
  /// return try await articles.article(1)
  /// ```
  nonisolated(nonsending) public func wrapper<Wrapper: Sendable>(
    _ make: () async throws -> Wrapper
  ) async rethrows -> Wrapper {
    if let wrapper = state.state.wrapper as? Wrapper { return wrapper }
    let wrapper = try await make()
    state.change { $0.wrapper = wrapper }
    return wrapper
  }

  var hasWrapper: Bool { state.state.wrapper != nil }

  /// Breaks the reference cycle of the fake, its wrapper and the wrapper's SDK.
  func releaseWrapper() { _ = state.change { $0.wrapper.take() } }

  /// Makes each later request wait in ``Request/deliver(to:)``.
  func holdRequestsBack() { state.change { $0.holdsRequestsBack = true } }

  /// Waits for the next call: the first time for the first call, then for the second, and so on.
  ///
  /// Waits for `limit`, up to five times, and longer on a busy machine. Throws ``TimeLimitError``,
  /// which names the file and the line, if there is no call in time, or `CancellationError` if the
  /// test is cancelled.
  nonisolated(nonsending) public func next(
    within limit: Timeout = .seconds(1),
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) async throws -> Request {
    let callSite = CallSite(fileID: fileID, line: line)
    return try await state.wait(or: "the SDK was not called", within: limit, at: callSite) {
      $0.next()
    }
  }

  /// The next call, if there is one.
  func nextRecorded() -> Request? { state.change { $0.next() } }

  /// Leaves out the calls so far, which a wrapper that tries again has made, and does nothing in
  /// those to come.
  func reset() {
    whenCalled { _ in }
    state.change { $0.handedOut = $0.requests.count }
  }

  /// Runs `body` inside each later call, on the wrapper's thread, before the call returns.
  public func whenCalled(_ body: @escaping @Sendable (Request) -> Void) {
    state.change { state in
      defer { state.onCall = body }
      return state.onCall
    }
  }

  /// Runs `body` when a later call is cancelled, inside ``Request/cancel()``, on its thread, under
  /// the SDK's lock.
  public func whenCancelled(_ body: @escaping @Sendable (Request) -> Void) {
    state.change { state in
      defer { state.onCancel = body }
      return state.onCancel
    }
  }
}

extension FakeCall {
  /// One call of the method: what the SDK returns, and what the test uses to answer.
  ///
  /// Make it conform to the SDK's protocol. To cancel by ``number``, use
  /// ``FakeCall/subscript(_:)``.
  public final class Request: Sendable {
    fileprivate struct State: Sendable {
      var completion: @Sendable () -> Completion?
      let onCancel: @Sendable (Request) -> Void
      var holdsBack: Bool
      var receiver: (@Sendable (Request) -> Void)?
      var cancelCount = 0
    }

    /// The number of the call, counted from 1.
    public let number: Int

    private let state: Observed<State>
    let lock: SDKLock
    private let collector: RuntimeIssue.Handler?

    fileprivate init(
      _ number: Int,
      _ lock: SDKLock,
      _ collector: RuntimeIssue.Handler?,
      _ state: State
    ) {
      self.number = number
      self.lock = lock
      self.collector = collector
      self.state = Observed(state)
    }

    /// How many times the wrapper has cancelled the call.
    public var cancelCount: Int { state.state.cancelCount }

    /// Cancels the call, for the wrapper. Takes the SDK's lock.
    public func cancel() {
      let onCancel = state.change { state in
        state.cancelCount += 1
        return state.onCancel
      }
      lock.locked { onCancel(self) }
    }

    /// Passes the request to the callback of an SDK that does not return it. Call it in the body of
    /// the fake's method.
    ///
    /// - Parameter receive: Calls the SDK's callback at once; in `checkWrapper`, after a
    ///   cancellation, on any thread.
    public func deliver(to receive: @escaping @Sendable (Request) -> Void) {
      let isHeldBack = state.change { state in
        if state.holdsBack { state.receiver = receive }
        return state.holdsBack
      }
      if !isHeldBack { receive(self) }
    }

    /// Whether the wrapper is waiting for the request.
    var isHeldBack: Bool { state.state.receiver != nil }

    /// Hands over what was held back.
    func deliver() {
      let receiver = state.change { state in
        state.holdsBack = false
        return state.receiver.take()
      }
      receiver?(self)
    }

    /// Runs `body` with the completion, on the caller's thread. May be repeated; has no effect
    /// after ``drop()``.
    public func answer(_ body: (Completion) -> Void) {
      guard let completion = state.state.completion() else { return }
      collecting { body(completion) }
    }

    /// Runs code, and collects its misuse reports if a collector was set.
    private func collecting(_ body: () -> Void) {
      RuntimeIssue.collector.withValue(collector ?? RuntimeIssue.collector.get(), operation: body)
    }

    /// Releases the completion, so that the SDK can never call it again.
    public func drop() {
      // Released here, where the report of a dropped completion is collected.
      collecting {
        _ = state.change { state in
          defer { state.completion = { nil } }
          return state.completion
        }
      }
    }

    /// Waits until the wrapper has cancelled the call, or, for a sequence, has unregistered.
    ///
    /// Waits for `limit`, and throws, as ``FakeCall/next(within:fileID:line:)`` does.
    nonisolated(nonsending) public func cancelled(
      within limit: Timeout = .seconds(1),
      fileID: StaticString = #fileID,
      line: UInt = #line
    ) async throws {
      let callSite = CallSite(fileID: fileID, line: line)
      try await state.wait(or: "the SDK was not told to cancel", within: limit, at: callSite) {
        $0.cancelCount > 0 ? () : nil
      }
    }
  }
}
