// What a bridge does with an answer that is not delivered, by the shape of the answer. Each passes on to
// the user's `onDiscard` what is a value, and is `nil` if there is none.

/// A result: its value is passed on, its error is dropped.
@inlinable
func onlyValues<Value, Failure>(
  to discard: (@Sendable (Value) -> Void)?
) -> (@Sendable (Result<Value, Failure>) -> Void)? {
  guard let discard else { return nil }
  return { result in
    if case .success(let value) = result { discard(value) }
  }
}

/// A value that may be missing.
@inlinable
func onlyPresent<Value>(
  to discard: (@Sendable (Value) -> Void)?
) -> (@Sendable (Value?) -> Void)? {
  guard let discard else { return nil }
  return { value in
    if let value { discard(value) }
  }
}

/// Two values, each of which may be missing.
@inlinable
func onlyPresent<First, Second>(
  to discard: (@Sendable (First?, Second?) -> Void)?
) -> (@Sendable ((First?, Second?)) -> Void)? {
  guard let discard else { return nil }
  return { values in
    if values.0 != nil || values.1 != nil { discard(values.0, values.1) }
  }
}

/// Three values, each of which may be missing.
@inlinable
func onlyPresent<First, Second, Third>(
  to discard: (@Sendable (First?, Second?, Third?) -> Void)?
) -> (@Sendable ((First?, Second?, Third?)) -> Void)? {
  guard let discard else { return nil }
  return { values in
    if values.0 != nil || values.1 != nil || values.2 != nil {
      discard(values.0, values.1, values.2)
    }
  }
}

/// Two values.
@inlinable
func all<First, Second>(
  to discard: (@Sendable (First, Second) -> Void)?
) -> (@Sendable ((First, Second)) -> Void)? {
  guard let discard else { return nil }
  return { values in discard(values.0, values.1) }
}

/// Three values.
@inlinable
func all<First, Second, Third>(
  to discard: (@Sendable (First, Second, Third) -> Void)?
) -> (@Sendable ((First, Second, Third)) -> Void)? {
  guard let discard else { return nil }
  return { values in discard(values.0, values.1, values.2) }
}
