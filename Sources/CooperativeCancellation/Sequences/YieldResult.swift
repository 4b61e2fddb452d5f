/// What happened to an element, for an SDK whose callback returns whether to continue.
///
/// ```swift
/// sdk.forEachRow { row in yield(row) != .terminated }
/// ```
public enum YieldResult: Sendable, Hashable {
  /// The element waits for the reader. A cancellation may still discard it.
  ///
  /// The value says how many more fit; with `.newest`, zero means that the next element replaces the oldest.
  case buffered(remainingCapacity: Int)

  /// The buffer was full, and the element went to `onDiscard`.
  case dropped

  /// The sequence has ended or has no reader: this element went to `onDiscard`, and later ones will too.
  case terminated
}
