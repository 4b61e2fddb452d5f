/// A task of any type, as far as its owners care.
@usableFromInline
protocol ErasedTask: Sendable, Hashable {
  var isCancelled: Bool { get }
  func cancel()
}

extension Task: ErasedTask {}

extension ErasedTask {
  /// Whether the other one is the same task.
  func isSame(as other: any ErasedTask) -> Bool {
    other as? Self == self
  }
}
