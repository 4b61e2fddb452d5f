/// A task of any type, as far as its owners care.
protocol ErasedTask: Sendable, Hashable {
  var isCancelled: Bool { get }
  func cancel()
}

extension Task: ErasedTask {}

extension Equatable {
  /// Whether the other one is of the same type, and equal.
  func isSame(as other: Any) -> Bool {
    (other as? Self) == self
  }
}
