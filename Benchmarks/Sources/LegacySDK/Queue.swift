import Synchronization

/// Work to do, in order.
final class Queue<Element: Sendable>: Sendable {
  private struct State {
    var waiting: [Element] = []
    var spare: [Element] = []
  }

  private let state = Mutex(State())

  var isEmpty: Bool { state.withLock { $0.waiting.isEmpty } }

  func append(_ element: Element) { state.withLock { $0.waiting.append(element) } }

  /// Takes all elements out and calls `body` with each. The storage is reused.
  func takeAll(_ body: (Element) throws -> Void) rethrows {
    var elements = state.withLock { state in
      let elements = state.waiting
      state.waiting = state.spare
      state.spare = []
      return elements
    }
    for element in elements { try body(element) }
    elements.removeAll(keepingCapacity: true)
    state.withLock { $0.spare = elements }
  }
}
