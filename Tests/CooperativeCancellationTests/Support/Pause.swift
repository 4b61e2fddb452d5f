import Synchronization

/// What a thread waits before an event: sometimes long enough for another thread to finish.
struct Pause: Sendable {
  private static let anything = Atomic(0)
  private let turns: Int

  init(using random: inout some RandomNumberGenerator) {
    turns = Int.random(in: 0..<(1 << Int.random(in: 0...13, using: &random)), using: &random)
  }

  func pass() {
    for _ in 0..<turns { _ = Self.anything.load(ordering: .relaxed) }
  }
}
