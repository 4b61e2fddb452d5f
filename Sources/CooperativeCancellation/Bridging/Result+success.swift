extension Result where Success == Void {
  /// A success without a value, so that a `Void` completion reads `completion(.success)`.
  ///
  /// Disfavoured, because other modules define the same: where both are visible, theirs is used.
  @_disfavoredOverload
  @inlinable
  public static var success: Self { .success(()) }
}
