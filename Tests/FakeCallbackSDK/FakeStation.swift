public import CooperativeCancellationTesting

/// What a station sends. Counts while it is alive.
public final class Song: Sendable {
  public let title: String
  private let member: LiveCount.Member

  fileprivate init(_ title: String, _ liveCount: LiveCount) {
    self.title = title
    member = LiveCount.Member(of: liveCount)
  }
}

/// What a listener gets for registering. Not `Sendable`, as such objects are.
public final class Subscriber {
  public let number: Int
  private let mast: Mast

  fileprivate init(_ number: Int, _ mast: Mast) {
    self.number = number
    self.mast = mast
  }

  public func remove() { mast.remove(number) }
}

/// A legacy SDK that calls back again and again, in every shape. Nothing of it is `Sendable`. A
/// ``Mast`` steers it.
public final class FakeStation {
  public let mast: Mast

  public init(_ mast: Mast = Mast()) { self.mast = mast }

  public func addListener(_ listener: @escaping @Sendable (Song) -> Void) -> Subscriber {
    add(listener)
  }

  public func addDuet(_ listener: @escaping @Sendable (Song, Song) -> Void) -> Subscriber {
    add { [weak mast] in if let mast { listener($0, mast.makeSong()) } }
  }

  public func onChange(_ changed: @escaping @Sendable () -> Void) -> Subscriber {
    add { _ in changed() }
  }

  public func listen(
    _ listener: @escaping @Sendable (Song) -> Void,
    end: @escaping @Sendable () -> Void
  ) -> Subscriber {
    add(listener, failure: { _ in end() }, end: end)
  }

  public func addResults(
    _ listener: @escaping @Sendable (Result<Song, SDKError>) -> Void
  ) -> Subscriber {
    add({ listener(.success($0)) }, failure: { listener(.failure($0)) })
  }

  public func addSnapshots(
    _ listener: @escaping @Sendable (Song?, (any Error)?) -> Void
  ) -> Subscriber {
    add({ listener($0, nil) }, failure: { listener(nil, $0) })
  }

  public func stream(
    _ listener: @escaping @Sendable (Song) -> Void,
    completion: @escaping @Sendable ((any Error)?) -> Void
  ) -> Subscriber {
    add(listener, failure: { completion($0) }, end: { completion(nil) })
  }

  /// Plays until the listener returns `false`.
  public func scan(_ visit: @escaping @Sendable (Song) -> Bool) -> Subscriber {
    add { [weak mast] in if !visit($0) { mast?.countRefusal() } }
  }

  private func add(
    _ song: @escaping @Sendable (Song) -> Void,
    failure: @escaping @Sendable (SDKError) -> Void = { _ in },
    end: @escaping @Sendable () -> Void = {}
  ) -> Subscriber {
    mast.add {
      switch $0 {
      case .song(let new): song(new)
      case .failure(let error): failure(error)
      case .end: end()
      }
    }
  }
}

/// The test's controls for a station.
public final class Mast: Sendable {
  public enum Broadcast: Sendable {
    case song(Song)
    case failure(SDKError)
    case end
  }

  /// What a station does when a listener registers, before the registration returns.
  public enum Greeting: Sendable, Hashable, CaseIterable {
    case play
    case fail
    case end
    /// Releases the callback at once.
    case release
  }

  private typealias Listener = @Sendable (Broadcast) -> Void

  private struct State {
    var listeners: [Int: Listener] = [:]
    var added = 0
    var removed: [Int] = []
    var made = 0
    var refusals = 0
  }

  private let state = Protected(State())
  private let greetings: [Greeting]
  public let songsAlive = LiveCount()

  public init(greeting greetings: [Greeting] = []) { self.greetings = greetings }

  /// How many have registered.
  public var added: Int { state.withLock { $0.added } }

  /// The listeners that have unregistered, in order.
  public var removed: [Int] { state.withLock { $0.removed } }

  /// How many songs were sent.
  public var made: Int { state.withLock { $0.made } }

  /// How often a listener did not want to go on.
  public var refusals: Int { state.withLock { $0.refusals } }

  public var listenerCount: Int { state.withLock { $0.listeners.count } }

  public func play() { sendAll(.play) }
  public func fail() { sendAll(.fail) }
  public func end() { sendAll(.end) }

  /// Releases the callbacks, which can then never be called again.
  public func release() {
    // Released after unlocking.
    let listeners = state.withLock { state in
      defer { state.listeners = [:] }
      return state.listeners
    }
    withExtendedLifetime(listeners) {}
  }

  /// Sends each listener a song of its own, or the same.
  public func sendAll(_ greeting: Greeting) {
    let listeners = state.withLock { $0.listeners.sorted { $0.key < $1.key } }
    for (_, listener) in listeners { send(greeting, to: listener) }
  }

  private func send(_ greeting: Greeting, to listener: Listener) {
    switch greeting {
    case .play: listener(.song(makeSong()))
    case .fail: listener(.failure(.failed))
    case .end: listener(.end)
    case .release: release()
    }
  }

  fileprivate func makeSong() -> Song {
    let number = state.withLock { state in
      state.made += 1
      return state.made
    }
    return Song("\(number)", songsAlive)
  }

  fileprivate func countRefusal() { state.withLock { $0.refusals += 1 } }

  fileprivate func add(_ listener: @escaping @Sendable (Broadcast) -> Void) -> Subscriber {
    let number = state.withLock { state in
      state.added += 1
      state.listeners[state.added] = listener
      return state.added
    }
    for greeting in greetings { send(greeting, to: listener) }
    return Subscriber(number, self)
  }

  fileprivate func remove(_ number: Int) {
    let listener = state.withLock { state in
      state.removed.append(number)
      return state.listeners.removeValue(forKey: number)
    }
    withExtendedLifetime(listener) {}
  }
}
