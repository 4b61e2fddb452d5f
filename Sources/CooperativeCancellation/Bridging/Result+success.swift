extension Result where Success == Void {
  /// A success without a value.
  package static var success: Self { .success(()) }
}
