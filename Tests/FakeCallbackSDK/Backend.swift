import Dispatch
import Synchronization

/// The inside of the SDK: what a test counts, and where it says that something happens now.
public final class Backend: Sendable {
  public struct Counts: Equatable, Sendable {
    public var started = 0
    public var cancelled = 0
    public var completed = 0

    public init(started: Int = 0, cancelled: Int = 0, completed: Int = 0) {
      self.started = started
      self.cancelled = cancelled
      self.completed = completed
    }
  }

  /// One answer on its way to a completion: it makes the value when it is asked for it.
  struct Delivery {
    let answer: Behavior.Answer
    let id: String
    let backend: Backend

    func user() -> User {
      User(id: id, backend: backend)
    }

    var result: Result<User, SDKError> {
      error.map { .failure($0) } ?? .success(user())
    }

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

  private struct State {
    var counts = Counts()
    var kept: [Int: Completion] = [:]
  }

  private static let queue = DispatchQueue(label: "FakeCallbackSDK", attributes: .concurrent)

  let usersAlive = Atomic<Int>(0)
  let usersMade = Atomic<Int>(0)
  private let behavior: Behavior
  private let state = Protected(State())

  /// The lock that `cancel()` takes. Recursive, as such locks often are, so that the SDK may be
  /// cancelled from inside a callback.
  private let sdkLock = RecursiveLock()

  init(_ behavior: Behavior) {
    self.behavior = behavior
  }

  public var counts: Counts { state.withLock { $0.counts } }

  /// How many values it has made.
  public var valuesMade: Int { usersMade.load(ordering: .acquiring) }

  /// How many of the values that it has made are still there.
  public var valuesAlive: Int { usersAlive.load(ordering: .acquiring) }

  func begin(_ id: String, _ deliver: @escaping @Sendable (Delivery) -> Void) -> Request {
    // Weakly, because the backend keeps completions.
    let completion: Completion = { [weak self] in
      if let self { deliver(Delivery(answer: $0, id: id, backend: self)) }
    }
    let number = state.withLock { state in
      state.counts.started += 1
      if behavior.keepsCompletion { state.kept[state.counts.started] = completion }
      return state.counts.started
    }
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
    state.withLock { $0.counts.completed += 1 }
    if behavior.locksWhileAnswering {
      sdkLock.withLock { completion(answer) }
    } else {
      completion(answer)
    }
  }

  /// Answers every call whose completion the SDK has kept, on the calling thread; it keeps them.
  public func answer(_ answer: Behavior.Answer = .success) {
    for completion in state.withLock({ $0.kept.values }) { complete(completion, answer) }
  }

  /// Releases the completions that the SDK has kept.
  public func drop() {
    let kept = state.withLock { state in
      defer { state.kept = [:] }
      return state.kept
    }
    _ = kept  // Released here, after unlocking.
  }
}
