// How a bridge discards an answer, for each shape of answer. Each function passes the values to the user's
// `onDiscard`, and returns `nil` if there is no `onDiscard`.

@_alwaysEmitIntoClient
func onlyValues<Value, Failure>(
  to discard: (@Sendable (sending Value) -> Void)?
) -> (@Sendable (Result<Sent<Value>, Failure>) -> Void)? {
  guard let discard else { return nil }
  return { result in
    if case .success(let value) = result { discard(value.open()) }
  }
}

/// Passes on a value. Swift 6.3.1 crashes if it is to convert the optional closure itself.
@_alwaysEmitIntoClient
func every<Value>(
  to discard: (@Sendable (Value) -> Void)?
) -> (@Sendable (sending Value) -> Void)? {
  guard let discard else { return nil }
  return discard
}

@_alwaysEmitIntoClient
func onlyPresent<Value>(
  to discard: (@Sendable (Value) -> Void)?
) -> (@Sendable (sending Value?) -> Void)? {
  guard let discard else { return nil }
  return { value in
    if let value { discard(value) }
  }
}

/// Passes on two optional values, unless both are `nil`.
@_alwaysEmitIntoClient
func onlyPresent<First, Second>(
  to discard: (@Sendable (First?, Second?) -> Void)?
) -> (@Sendable (sending (First?, Second?)) -> Void)? {
  guard let discard else { return nil }
  return { values in
    if values.0 != nil || values.1 != nil { discard(values.0, values.1) }
  }
}
