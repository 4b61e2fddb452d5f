import CooperativeCancellationTesting
import Dispatch

/// The inside of the SDK: what a test counts, and the test's controls.
public final class Backend: Sendable {
  public struct Counts: Equatable, Sendable {
    public var started = 0
    public var cancelled = 0

    public init() {}
  }

  /// One answer on its way to a completion: it makes the value on request.
  struct Delivery {
    let answer: Behavior.Answer
    let id: String
    let backend: Backend

    func user() -> User { User(id: id, backend: backend) }

    var result: Result<User, SDKError> { error.map { .failure($0) } ?? .success(user()) }

    var error: SDKError? {
      switch answer {
      case .success, .halves: nil
      case .failure(let error), .failureBeside(let error, _, _): error
      }
    }

    /// The first value of a completion whose values may be missing.
    var first: User? { brings.first ? user() : nil }
    var second: User? { brings.second ? user() : nil }

    private var brings: (first: Bool, second: Bool) {
      switch answer {
      case .success: (true, true)
      case .failure: (false, false)
      case .halves(let first, let second), .failureBeside(_, let first, let second): (first, second)
      }
    }
  }

  typealias Completion = @Sendable (Behavior.Answer) -> Void

  /// What a test wants done in the middle of the SDK's work.
  public struct Hooks: Sendable {
    /// When the SDK is called, on the caller's thread.
    public var whenCalled: @Sendable () -> Void = {}
    /// Before each answer; under the SDK's lock if it answers under that.
    public var beforeAnswer: @Sendable () -> Void = {}
    /// When a value is released for the last time.
    public var onValueRelease: @Sendable () -> Void = {}
    /// When a request is released for the last time.
    public var onRequestRelease: @Sendable () -> Void = {}

    public init() {}
  }

  private struct State {
    var counts = Counts()
    var kept: [Int: Completion] = [:]
    var requestHandlers: [@Sendable (sending Request) -> Void] = []
  }

  private static let queue = DispatchQueue(label: "FakeCallbackSDK", attributes: .concurrent)

  let usersAlive = Protected(0)
  let usersMade = Protected(0)
  let servicesAlive = LiveCount()
  let requestsAlive = LiveCount()
  private let completionsAlive = LiveCount()
  public let hooks = Protected(Hooks())
  private let behavior: Behavior
  private let state = Protected(State())

  /// The lock that `cancel()` takes. Recursive, as such locks often are: a callback may cancel the
  /// SDK.
  private let sdkLock = RecursiveLock()

  public init(_ behavior: Behavior) { self.behavior = behavior }

  public var counts: Counts { state.withLock { $0.counts } }

  /// How many values it has made.
  public var valuesMade: Int { usersMade.withLock { $0 } }

  /// How many of the values that it has made are still there.
  public var valuesAlive: Int { usersAlive.withLock { $0 } }

  /// How many of its values, requests and completions, and of its service objects, are still there.
  public var objectsAlive: Int {
    valuesAlive + requestsAlive.count + completionsAlive.count + servicesAlive.count
  }

  func begin(_ id: String, _ deliver: @escaping @Sendable (Delivery) -> Void) -> Request {
    let member = LiveCount.Member(of: completionsAlive)
    // Weakly, because the backend keeps completions.
    let completion: Completion = { [weak self] answer in
      withExtendedLifetime(member) {
        if let self { deliver(Delivery(answer: answer, id: id, backend: self)) }
      }
    }
    let number = state.withLock { state in
      state.counts.started += 1
      if behavior.keepsCompletion { state.kept[state.counts.started] = completion }
      return state.counts.started
    }
    hooks.withLock { $0.whenCalled }()
    for answer in behavior.inside { complete(completion, answer) }
    if !behavior.queued.isEmpty {
      Backend.queue.async {
        for answer in self.behavior.queued { self.complete(completion, answer) }
      }
    }
    return Request(number: number, backend: self)
  }

  func cancel(_ number: Int) {
    sdkLock.withLock {
      let completion = state.withLock { state in
        state.counts.cancelled += 1
        return state.kept[number]
      }
      if let answer = behavior.toCancel, let completion { complete(completion, answer) }
    }
  }

  private func complete(_ completion: Completion, _ answer: Behavior.Answer) {
    let beforeAnswer = hooks.withLock { $0.beforeAnswer }
    if behavior.locksWhileAnswering {
      sdkLock.withLock {
        beforeAnswer()
        completion(answer)
      }
    } else {
      beforeAnswer()
      completion(answer)
    }
  }

  /// Answers each call whose completion it keeps. On the calling thread.
  public func answer(_ answer: Behavior.Answer = .success) {
    for completion in state.withLock({ $0.kept }).values { complete(completion, answer) }
  }

  func keep(_ requestHandler: @escaping @Sendable (sending Request) -> Void) {
    state.withLock { $0.requestHandlers.append(requestHandler) }
  }

  /// Hands a request over to each handler that the SDK has kept, on the calling thread; it keeps
  /// them.
  public func handOverRequests() {
    for (number, handler) in state.withLock({ $0.requestHandlers }).enumerated() {
      handler(Request(number: number + 1, backend: self))
    }
  }

  /// How many of its requests are still there.
  public var requests: Int { requestsAlive.count }

  /// Releases the completions that the SDK has kept.
  public func drop() {
    let kept = state.withLock { state in
      defer { state.kept = [:] }
      return state.kept
    }
    _ = kept  // Released here, after unlocking.
  }
}
