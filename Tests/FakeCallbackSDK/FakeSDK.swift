import CooperativeCancellationTesting

/// A legacy SDK: completion handlers, request objects, a delegate, errors of its own, and nothing
/// `Sendable` about it. The test says how it behaves, and steers it through its ``Backend``.
public final class FakeSDK {
  public typealias Completion<Value, Failure: Error> = @Sendable (Result<Value, Failure>) -> Void

  public let backend: Backend
  private let member: LiveCount.Member

  public convenience init(_ behavior: Behavior = .onDemand) { self.init(Backend(behavior)) }

  /// One of several service objects with the same inside.
  public init(_ backend: Backend) {
    self.backend = backend
    member = LiveCount.Member(of: backend.servicesAlive)
  }

  /// The common shape: a result, and a request that can be cancelled.
  @discardableResult
  public func loadUser(id: String, completion: @escaping Completion<User, any Error>) -> Request {
    backend.begin(id) { completion($0.result.mapError { $0 }) }
  }

  @discardableResult
  public func searchUsers(
    matching name: String,
    completion: @escaping Completion<[User], any Error>
  ) -> Request {
    backend.begin(name) { completion($0.result.map { [$0] }.mapError { $0 }) }
  }

  @discardableResult
  public func uploadAvatar(
    _ bytes: [UInt8],
    completion: @escaping Completion<Int, any Error>
  ) -> Request {
    backend.begin("avatar") { completion($0.result.map { _ in bytes.count }.mapError { $0 }) }
  }

  /// The delegate style: the SDK keeps the delegate until it has answered.
  @discardableResult
  public func rename(to name: String, delegate: CallDelegate) -> Request {
    backend.begin(name) { delegate.callDidFinish($0.result) }
  }

  /// Cannot fail: a failure brings a user too.
  @discardableResult
  public func currentUser(_ completion: @escaping @Sendable (User) -> Void) -> Request {
    backend.begin("me") { completion($0.user()) }
  }

  /// Cannot fail, and its type says so.
  public func cachedUser(_ completion: @escaping Completion<User, Never>) -> Request {
    backend.begin("cached") { completion(.success($0.user())) }
  }

  /// Reports only that it is done.
  public func flush(_ completion: @escaping @Sendable () -> Void) -> Request {
    backend.begin("") { _ in completion() }
  }

  /// Makes an object that is not `Sendable` and hands it over.
  public func openSession(
    _ completion: @escaping @Sendable (sending Result<Session, any Error>) -> Void
  ) -> Request {
    backend.begin("session") {
      switch $0.result {
      case .success(let user): completion(.success(Session(user: user)))
      case .failure(let error): completion(.failure(error))
      }
    }
  }

  /// Returns nothing: hands the request over in a callback, before it returns.
  public func upload(
    requestHandler: @escaping @Sendable (sending Request) -> Void,
    completion: @escaping Completion<User, any Error>
  ) {
    requestHandler(backend.begin("uploaded") { completion($0.result.mapError { $0 }) })
  }

  /// Hands the request over when the test says so: see ``Backend/handOverRequests()``.
  public func uploadLater(
    requestHandler: @escaping @Sendable (sending Request) -> Void,
    completion: @escaping Completion<User, any Error>
  ) {
    backend.keep(requestHandler)
    _ = backend.begin("uploaded") { completion($0.result.mapError { $0 }) }
  }
}

/// The other shapes that completions have.
extension FakeSDK {
  public func typedUser(_ completion: @escaping Completion<User, SDKError>) -> Request {
    backend.begin("typed") { completion($0.result) }
  }

  /// Value and error, one of them `nil`; or both, or neither, if it is told so.
  public func maybeUser(_ completion: @escaping @Sendable (User?, (any Error)?) -> Void) -> Request
  {
    backend.begin("maybe") { completion($0.first, $0.error) }
  }

  public func isPremium(_ completion: @escaping @Sendable (Bool, (any Error)?) -> Void) -> Request {
    backend.begin("premium") { completion($0.error == nil, $0.error) }
  }

  public func save(_ completion: @escaping @Sendable ((any Error)?) -> Void) -> Request {
    backend.begin("save") { completion($0.error) }
  }

  public func rename(_ completion: @escaping Completion<Void, any Error>) -> Request {
    backend.begin("rename") { completion($0.error.map { .failure($0) } ?? .success(())) }
  }

  public func userAndFriend(
    _ completion: @escaping @Sendable (User?, User?, (any Error)?) -> Void
  ) -> Request {
    backend.begin("pair") { completion($0.first, $0.second, $0.error) }
  }

  public func signIn(
    success: @escaping @Sendable (User) -> Void,
    failure: @escaping @Sendable (any Error) -> Void,
    cancelled: (@Sendable () -> Void)? = nil
  ) -> Request {
    backend.begin("signed in") {
      switch $0.result {
      case .success(let user): success(user)
      case .failure(.cancelled):
        if let cancelled { cancelled() } else { failure(SDKError.cancelled) }
      case .failure(let error): failure(error)
      }
    }
  }

  /// Cannot fail, and brings two values.
  public func hostAndGuest(_ completion: @escaping @Sendable (User, User) -> Void) -> Request {
    backend.begin("pair") { completion($0.user(), $0.user()) }
  }

  /// Its `failure` may get no error.
  public func signOut(
    success: @escaping @Sendable () -> Void,
    failure: @escaping @Sendable ((any Error)?) -> Void
  ) -> Request {
    backend.begin("signed out") {
      if let error = $0.error { failure(error) } else { success() }
    }
  }

  public func unlock(
    success: @escaping @Sendable (User) -> Void,
    failure: @escaping @Sendable () -> Void
  ) -> Request {
    backend.begin("unlocked") {
      if $0.error != nil { failure() } else { success($0.user()) }
    }
  }
}

/// What the SDK gives for a call that can be cancelled. Not `Sendable`, as such objects are.
public final class Request {
  private let number: Int
  private let backend: Backend
  private let member: LiveCount.Member

  init(number: Int, backend: Backend) {
    self.number = number
    self.backend = backend
    member = LiveCount.Member(of: backend.requestsAlive)
  }

  deinit { backend.hooks.withLock { $0.onRequestRelease }() }

  public func cancel() { backend.cancel(number) }
}

/// A delegate that turns the SDK's answer into a closure call, as wrappers of such SDKs do.
public final class CallDelegate: Sendable {
  let callDidFinish: FakeSDK.Completion<User, SDKError>

  public init(_ onFinish: @escaping FakeSDK.Completion<User, SDKError>) { callDidFinish = onFinish }
}

public enum SDKError: Error, Equatable, Sendable {
  case failed
  case cancelled
}

/// A value that its backend counts while it lives.
public final class User: Sendable {
  public let id: String
  private let backend: Backend

  init(id: String, backend: Backend) {
    self.id = id
    self.backend = backend
    backend.usersAlive.withLock { $0 += 1 }
    backend.usersMade.withLock { $0 += 1 }
  }

  deinit {
    backend.usersAlive.withLock { $0 -= 1 }
    backend.hooks.withLock { $0.onValueRelease }()
  }
}

/// A value that is not `Sendable`.
public final class Session {
  public let user: User
  public var isOpen = true

  public init(user: User) { self.user = user }
}
