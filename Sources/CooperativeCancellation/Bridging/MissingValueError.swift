/// The SDK called its completion with neither a value nor an error.
///
/// Some SDKs mean "not found" by it: there, convert before the completion, so that `nil` is the value:
///
/// ```swift
/// let user: User? = try await withAsyncThrowingValue { completion in
///   sdk.findUser(id) { @Sendable user, error in
///     completion(error.map { .failure($0) } ?? .success(user))
///   }
/// }
/// ```
public struct MissingValueError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The call whose completion got nothing.
  public let callSite: CallSite

  /// Says what was missing, where, and what to write instead.
  public var description: String {
    """
    The SDK called the completion made at \(callSite) without the value that it promises and without an \
    error. If it means "not found" by that, pass the completion a `Result` whose value is optional: \
    completion(error.map { .failure($0) } ?? .success(value)).
    """
  }

  @usableFromInline
  package init(callSite: CallSite) {
    self.callSite = callSite
  }
}
