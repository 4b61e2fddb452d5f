// How a bridge discards an answer, for each shape of answer. Each function passes the values to the user's
// `onDiscard`, and returns `nil` if there is no `onDiscard`.

/// Passes on the value of a result.
@inlinable
func onlyValues<Value, Failure>(
  to discard: (@Sendable (Value) -> Void)?
) -> (@Sendable (Result<Value, Failure>) -> Void)? {
  guard let discard else { return nil }
  return { result in
    if case .success(let value) = result { discard(value) }
  }
}

/// Passes on an optional value.
@inlinable
func onlyPresent<Value>(
  to discard: (@Sendable (Value) -> Void)?
) -> (@Sendable (Value?) -> Void)? {
  guard let discard else { return nil }
  return { value in
    if let value { discard(value) }
  }
}

/// Passes on two optional values, unless both are `nil`.
@inlinable
func onlyPresent<First, Second>(
  to discard: (@Sendable (First?, Second?) -> Void)?
) -> (@Sendable ((First?, Second?)) -> Void)? {
  guard let discard else { return nil }
  return { values in
    if values.0 != nil || values.1 != nil { discard(values.0, values.1) }
  }
}

/// Passes on three optional values, unless all are `nil`.
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

/// Passes on two values.
@inlinable
func all<First, Second>(
  to discard: (@Sendable (First, Second) -> Void)?
) -> (@Sendable ((First, Second)) -> Void)? {
  guard let discard else { return nil }
  return { values in discard(values.0, values.1) }
}

/// Passes on three values.
@inlinable
func all<First, Second, Third>(
  to discard: (@Sendable (First, Second, Third) -> Void)?
) -> (@Sendable ((First, Second, Third)) -> Void)? {
  guard let discard else { return nil }
  return { values in discard(values.0, values.1, values.2) }
}
