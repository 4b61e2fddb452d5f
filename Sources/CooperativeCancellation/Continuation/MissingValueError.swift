/// The SDK called its completion with neither a value nor an error, or reported a failure without
/// an error.
///
/// If the SDK means "not found", write
/// ``withAsyncThrowingValueIfPresent(whenCancelled:timeout:fileID:line:in:onCancel:onDiscard:)``,
/// which returns `nil` then.
public struct MissingValueError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The call that made the completion.
  public let callSite: CallSite

  /// Says what was missing, where, and what to write instead.
  public var description: String {
    """
    The SDK called the completion made at \(callSite) with neither a value nor an error. If that means \
    "not found", write `withAsyncThrowingValueIfPresent`, which returns `nil`.
    """
  }

  /// Creates the error of a call, for example to test what a screen does with it. `CallSite()` is
  /// the place where you write it.
  public init(callSite: CallSite) { self.callSite = callSite }
}
