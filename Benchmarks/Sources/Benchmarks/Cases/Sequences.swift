import CooperativeCancellation
import LegacySDK
import Synchronization

// Repeated callbacks, compared with an `AsyncStream` over the same SDK.

extension [Comparison] {
  static func sequences(on loop: Loop) -> [Comparison] {
    [
      waitingElement(on: loop), wakingElement(on: loop),
      finished(on: loop), broken(on: loop), brokenOnActor(on: loop),
    ]
  }

  /// The SDK announces an element before the reader asks.
  private static func waitingElement(on loop: Loop) -> Comparison {
    let sdk = Announcer(greeting: .element)
    return Comparison(
      "an element that waits in the buffer",
      to: "AsyncStream",
      goal: .atMost(0.5),
      on: loop
    ) { count in
      var left = count
      for await element in sdk.sequence() {
        use(element)
        left -= 1
        if left == 0 { break }
        sdk.announce()
      }
    } against: { count in
      var left = count
      for await element in sdk.stream() {
        use(element)
        left -= 1
        if left == 0 { break }
        sdk.announce()
      }
    }
  }

  /// The reader sleeps when the SDK announces an element.
  private static func wakingElement(on loop: Loop) -> Comparison {
    let sdk = Announcer()
    return Comparison(
      "an element that wakes the reader",
      to: "AsyncStream",
      goal: .atMost(0.95),
      on: loop
    ) { count in
      var left = count
      loop.callLater { sdk.announce() }
      for await element in sdk.sequence() {
        use(element)
        left -= 1
        if left == 0 { break }
        loop.callLater { sdk.announce() }
      }
    } against: { count in
      var left = count
      loop.callLater { sdk.announce() }
      for await element in sdk.stream() {
        use(element)
        left -= 1
        if left == 0 { break }
        loop.callLater { sdk.announce() }
      }
    }
  }

  /// The SDK finishes.
  private static func finished(on loop: Loop) -> Comparison {
    let sdk = Announcer(greeting: .end)
    return Comparison(
      "a subscription that the SDK finishes",
      to: "AsyncStream",
      goal: .atMost(1.5),
      on: loop
    ) { count in
      for _ in 0..<count {
        for await element in sdk.sequence() { use(element) }
      }
    } against: { count in
      for _ in 0..<count {
        for await element in sdk.stream() { use(element) }
      }
    }
  }

  /// The reader leaves the loop.
  private static func broken(on loop: Loop) -> Comparison {
    let sdk = Announcer(greeting: .element)
    return Comparison(
      "a subscription left by break",
      to: "AsyncStream",
      goal: .atMost(1.5),
      on: loop
    ) { count in
      for _ in 0..<count {
        for await element in sdk.sequence() {
          use(element)
          break
        }
      }
    } against: { count in
      for _ in 0..<count {
        for await element in sdk.stream() {
          use(element)
          break
        }
      }
    }
  }

  private static func brokenOnActor(on loop: Loop) -> Comparison {
    let reader = Reader(loop.serial)
    return Comparison(
      "a subscription left by break, on an actor",
      to: "AsyncStream",
      goal: .none,
      on: loop
    ) {
      await reader.readSequences($0)
    } against: {
      await reader.readStreams($0)
    }
  }
}

/// A reader that is an actor, on the same thread.
private actor Reader {
  private let sdk = Announcer(greeting: .element)
  private let loop: Loop.Serial

  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  init(_ loop: Loop.Serial) {
    self.loop = loop
  }

  func readSequences(_ count: Int) async {
    for _ in 0..<count {
      let sequence = AsyncCallbackSequence<Int>(buffering: .unbounded) { yield, finish in
        self.sdk.add(yield, finish)
      } onTermination: {
        self.sdk.remove()
      }
      for await element in sequence {
        use(element)
        break
      }
    }
  }

  func readStreams(_ count: Int) async {
    for _ in 0..<count {
      for await element in sdk.stream() {
        use(element)
        break
      }
    }
  }
}

/// An SDK with one listener that always announces 1.
private final class Announcer: Sendable {
  private struct Listener {
    let hear: @Sendable (Int) -> Void
    let end: @Sendable () -> Void
  }

  /// What the SDK does when a listener registers.
  enum Greeting {
    case none
    case element
    case end
  }

  private let greeting: Greeting
  private let listener = Mutex<Listener?>(nil)

  init(greeting: Greeting = .none) {
    self.greeting = greeting
  }

  func announce() {
    listener.withLock { $0 }?.hear(1)
  }

  func add(_ hear: @escaping @Sendable (Int) -> Void, _ end: @escaping @Sendable () -> Void) {
    listener.withLock { $0 = Listener(hear: hear, end: end) }
    switch greeting {
    case .none: break
    case .element: hear(1)
    case .end: end()
    }
  }

  func remove() {
    listener.withLock { $0 = nil }
  }

  func sequence() -> AsyncCallbackSequence<Int> {
    AsyncCallbackSequence(buffering: .unbounded) { yield, finish in
      self.add(yield, finish)
    } onTermination: {
      self.remove()
    }
  }

  func stream() -> AsyncStream<Int> {
    AsyncStream { continuation in
      self.add({ continuation.yield($0) }, { continuation.finish() })
      continuation.onTermination = { _ in self.remove() }
    }
  }
}
