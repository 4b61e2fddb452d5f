/// Ids with the same hash, so that those which are not equal share a list, and all must be compared.
struct CollidingID: Hashable, Sendable {
  let number: Int
  func hash(into hasher: inout Hasher) {}
}
