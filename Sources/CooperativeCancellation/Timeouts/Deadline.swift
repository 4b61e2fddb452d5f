/// The moment at which a call times out.
@usableFromInline package enum Deadline: Sendable {
  case at(Moment)
  /// A moment on the caller's clock, which sleeps until then.
  case custom(sleep: @Sendable () async throws -> Void)
}
