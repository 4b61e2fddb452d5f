public import CancellationInternals

/// Takes over the answer: `consuming`, so that no caller keeps a reference. `onDiscard` may send
/// the value to another thread, where it must be the only one.
@usableFromInline package typealias Discard<Answer> = @Sendable (consuming Answer) -> Void

/// How a bridge discards each shape of answer: through the user's `onDiscard`, or not at all if
/// there is none.
@usableFromInline package enum Discarding {
  @_alwaysEmitIntoClient
  package static func onlyValues<Value, Failure>(
    to discard: (@Sendable (sending Value) -> Void)?
  ) -> Discard<Result<Sent<Value>, Failure>>? {
    guard let discard else { return nil }
    return { (result: consuming Result<Sent<Value>, Failure>) in
      if let value = result.sent() { discard((consume value).open()) }
    }
  }

  /// Passes on a value. Swift 6.3.1 crashes if it is to convert the optional closure itself.
  @_alwaysEmitIntoClient
  package static func every<Value>(
    to discard: (@Sendable (Value) -> Void)?
  ) -> (@Sendable (sending Value) -> Void)? {
    guard let discard else { return nil }
    return discard
  }

  @_alwaysEmitIntoClient
  package static func onlyPresent<Value>(
    to discard: (@Sendable (Value) -> Void)?
  ) -> (@Sendable (sending Value?) -> Void)? {
    guard let discard else { return nil }
    return { value in
      if let value { discard(value) }
    }
  }

  /// Passes on two optional values, unless both are `nil`.
  @_alwaysEmitIntoClient
  package static func onlyPresent<First, Second>(
    to discard: (@Sendable (First?, Second?) -> Void)?
  ) -> (@Sendable (sending (First?, Second?)) -> Void)? {
    guard let discard else { return nil }
    return { values in
      if values.0 != nil || values.1 != nil { discard(values.0, values.1) }
    }
  }
}

extension Result {
  @_alwaysEmitIntoClient
  @inline(__always)
  package var isSuccess: Bool {
    if case .success = self { true } else { false }
  }

  /// The value, if any. Not written where it is used, because a debug build keeps copies in the
  /// frame of whoever looks into the result, and this frame is gone before the value is passed on.
  @_alwaysEmitIntoClient
  package consuming func sent<Value>() -> Success? where Success == Sent<Value> { try? get() }
}
