/// What became of an element, for an SDK whose callback returns whether to go on.
///
/// ```swift
/// sdk.forEachRow { row in yield(row) != .terminated }
/// ```
public enum YieldResult: Sendable, Hashable {
  /// The element waits for the reader, or is on its way to it. A cancellation may still discard it.
  ///
  /// There is room for that many more; with `.newest`, zero means that the next one evicts the oldest.
  case buffered(remainingCapacity: Int)

  /// The buffer was full, and the element went to `onDiscard`.
  case dropped

  /// The sequence has ended, or nobody reads it any more: the element went to `onDiscard`, and so will
  /// all others.
  case terminated
}
