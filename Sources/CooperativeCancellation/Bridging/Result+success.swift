extension Result where Success == Void {
  /// A success without a value, so that you can write `completion(.success)`.
  ///
  /// Disfavored, because other modules define the same member. If both are visible, the compiler
  /// uses theirs.
  @_disfavoredOverload
  @_alwaysEmitIntoClient
  public static var success: Self { .success(()) }
}
