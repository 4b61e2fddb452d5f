import CooperativeCancellation
import LegacySDK
import Synchronization

// Repeated callbacks, compared with an `AsyncStream` over the same SDK.

extension [Comparison] {
  static func sequences(on loop: Loop) -> [Comparison] {
    let waiting = Announcer { $0.announce() }
    let waking = Announcer { announcer in loop.callLater { announcer.announce() } }
    return [
      // The SDK announces an element before the reader asks.
      Comparison(
        "an element that waits in the buffer",
        to: "AsyncStream",
        goal: .atMost(0.5),
        on: loop
      ) {
        await waiting.read($0, of: waiting.sequence())
      } against: {
        await waiting.read($0, of: waiting.stream())
      },
      // The reader sleeps when the SDK announces an element.
      Comparison(
        "an element that wakes the reader",
        to: "AsyncStream",
        goal: .atMost(0.95),
        on: loop
      ) {
        await waking.read($0, of: waking.sequence())
      } against: {
        await waking.read($0, of: waking.stream())
      },
    ]
  }
}

/// An SDK with one listener that always announces 1.
private final class Announcer: Sendable {
  private struct Listener {
    let hear: @Sendable (Int) -> Void
  }

  private let askForNext: @Sendable (Announcer) -> Void
  private let listener = Mutex<Listener?>(nil)

  init(askForNext: @escaping @Sendable (Announcer) -> Void) {
    self.askForNext = askForNext
  }

  func announce() {
    listener.withLock { $0 }?.hear(1)
  }

  private func add(_ hear: @escaping @Sendable (Int) -> Void) {
    listener.withLock { $0 = Listener(hear: hear) }
    askForNext(self)
  }

  private func remove() {
    listener.withLock { $0 = nil }
  }

  func sequence() -> AsyncCallbackSequence<Int> {
    AsyncCallbackSequence(buffering: .unbounded) { yield, _ in
      self.add(yield)
    } onTermination: {
      self.remove()
    }
  }

  func stream() -> AsyncStream<Int> {
    AsyncStream { continuation in
      self.add { continuation.yield($0) }
      continuation.onTermination = { _ in self.remove() }
    }
  }

  /// Specialized for both, so that a call of `next()` is as direct as in a program.
  @inline(__always)
  func read(_ count: Int, of elements: some AsyncSequence<Int, Never>) async {
    var left = count
    for await element in elements {
      use(element)
      left -= 1
      if left == 0 { break }
      askForNext(self)
    }
  }
}
