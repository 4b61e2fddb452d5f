import CooperativeCancellation

extension Timeout {
  /// Hours: the code that the documentation shows has limits of seconds, and a busy machine may
  /// take longer.
  static func seconds(_ seconds: Int) -> Timeout { .seconds(3600 * Double(seconds)) }
}
