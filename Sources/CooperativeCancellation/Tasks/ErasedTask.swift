/// A task of any type, as far as its owners care.
protocol ErasedTask: Sendable, Hashable {
  var isCancelled: Bool { get }
  func cancel()
}

extension ErasedTask {
  func isSame(as other: any ErasedTask) -> Bool {
    (other as? Self) == self
  }
}

extension Task: ErasedTask {}
