/// A task of any type, as its owners see it.
@usableFromInline
protocol ErasedTask: Sendable, Hashable {
  var isCancelled: Bool { get }
  func cancel()
}

extension Task: ErasedTask {}

extension ErasedTask {
  /// Whether the other task is the same.
  func isSame(as other: any ErasedTask) -> Bool {
    other as? Self == self
  }
}
