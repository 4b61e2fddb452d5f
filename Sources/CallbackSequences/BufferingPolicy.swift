/// How many elements wait for a reader that is slower than the SDK, and which ones are dropped if
/// there are more.
///
/// There is no default, because the choice depends on what an element means:
///
/// | an element is | policy | example |
/// |---|---|---|
/// | a state: only the latest matters | `.newest(1)` | a location, download progress, a connection's state |
/// | an event that may be missed when there are many | `.newest(n)`, `.oldest(n)` | log lines, frames |
/// | an event that must not be missed | `.unbounded` | received messages, database changes |
///
/// An element that does not fit goes to the sequence's `onDiscard`. A bound below 1 counts as 1.
#if hasAttribute(nonexhaustive)
  @nonexhaustive
#endif
public enum BufferingPolicy: Sendable, Hashable {
  /// Keeps at most this many elements. One more replaces the oldest.
  case newest(Int)

  /// Keeps at most this many elements. One more is dropped.
  case oldest(Int)

  /// Keeps every element: only where the SDK does not outpace the reader for long, because nothing
  /// bounds the memory.
  case unbounded
}
