/// A value on its way from the thread that answers to the task. It need not be `Sendable`.
///
/// The compiler accepts such a value only as `sending`, which a stored value cannot be. Safe,
/// because it goes in as `sending`, so nothing else refers to it, and is taken out once: the
/// machines give each answer to one caller.
@usableFromInline package struct Sent<Value>: Sendable {
  @usableFromInline package nonisolated(unsafe) let value: Value

  @_alwaysEmitIntoClient
  package init(_ value: sending Value) { unsafe self.value = value }

  @_alwaysEmitIntoClient
  package consuming func open() -> sending Value { unsafe value }
}
