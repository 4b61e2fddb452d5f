import CallbackSequences
import CooperativeCancellation
import LegacySDK
import Synchronization

// Repeated callbacks, compared with an `AsyncStream` over the same SDK.

extension [Comparison] {
  static func sequences(on loop: Loop) -> [Comparison] {
    let waiting = Announcer { $0.announce() }
    let waking = Announcer { announcer in loop.callLater { announcer.announce() } }
    func against(
      _ name: String,
      atMost goal: Double,
      _ announcer: Announcer,
      ours: @escaping @Sendable (Int) async -> Void
    ) -> Comparison {
      Comparison(name, to: "AsyncStream", goal: .atMost(goal), on: loop, ours) {
        await announcer.read($0, of: announcer.stream())
      }
    }
    // The SDK announces an element before the reader asks, or while the reader sleeps.
    return [
      against("an element that waits in the buffer", atMost: 0.5, waiting) {
        await waiting.read($0, of: waiting.sequence())
      },
      against("an element that wakes the reader", atMost: 0.95, waking) {
        await waking.read($0, of: waking.sequence())
      },
    ]
  }
}

/// An SDK that always announces 1, to the listener that was added last.
private final class Announcer: Sendable {
  private struct Listener {
    let number: Int
    let hear: @Sendable (Int) -> Void
  }

  private let askForNext: @Sendable (Announcer) -> Void
  private let listener = Mutex<Listener?>(nil)

  init(askForNext: @escaping @Sendable (Announcer) -> Void) { self.askForNext = askForNext }

  func announce() { listener.withLock { $0 }?.hear(1) }

  private func add(_ hear: @escaping @Sendable (Int) -> Void) -> Int {
    let number = listener.withLock { listener in
      let number = (listener?.number ?? 0) + 1
      listener = Listener(number: number, hear: hear)
      return number
    }
    askForNext(self)
    return number
  }

  /// An earlier listener's removal may come after the next one was added.
  private func remove(_ number: Int) {
    listener.withLock { if $0?.number == number { $0 = Listener(number: number, hear: { _ in }) } }
  }

  func sequence() -> AsyncCallbackSequence<Int> {
    AsyncCallbackSequence(buffering: .unbounded) { yield, _ in
      self.add(yield)
    } onTermination: { number in
      self.remove(number)
    }
  }

  func stream() -> AsyncStream<Int> {
    AsyncStream { continuation in
      let number = self.add { continuation.yield($0) }
      continuation.onTermination = { _ in self.remove(number) }
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
