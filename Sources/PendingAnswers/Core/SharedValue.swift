public import CancellationInternals

/// A value on its way to all callers.
@usableFromInline enum SharedValue<Value: Sendable>: Sendable {
  case value(Value)
  case discardable(Locked<DiscardableValue<Value>>)

  @_alwaysEmitIntoClient
  init(_ value: Value, onDiscard discard: (@Sendable (Value) -> Void)?) {
    if let discard {
      self = .discardable(Locked(shared: DiscardableValue(value, discard)))
    } else {
      self = .value(value)
    }
  }

  @_alwaysEmitIntoClient
  func take() -> Value {
    switch self {
    case .value(let value):
      return value
    case .discardable(let contents):
      return contents.locked { contents in
        contents.isTaken = true
        return contents.value
      }
    }
  }
}

/// The last caller that lets go of it discards it, unless one has taken it.
@usableFromInline struct DiscardableValue<Value: Sendable>: SharedContents {
  @usableFromInline let value: Value
  @usableFromInline let discard: @Sendable (Value) -> Void
  @usableFromInline var isTaken = false

  @_alwaysEmitIntoClient
  init(_ value: Value, _ discard: @escaping @Sendable (Value) -> Void) {
    self.value = value
    self.discard = discard
  }

  @usableFromInline
  func lastReferenceWasReleased() {
    if !isTaken { discard(value) }
  }
}
