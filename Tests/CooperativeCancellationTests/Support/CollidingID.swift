/// Ids with the same hash, so that a dictionary must compare them.
struct CollidingID: Hashable, Sendable {
  let number: Int
  func hash(into hasher: inout Hasher) {}
}
