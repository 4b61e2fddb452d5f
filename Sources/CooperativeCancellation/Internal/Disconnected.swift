/// Carries one value that is not `Sendable` through code that wants one that is.
///
/// The value is sent in and sent out again, so nobody else can hold it meanwhile. It is delivered
/// or discarded, never both, so it is opened once.
// For its inlined `init`, where the library is built with library evolution.
@_fixed_layout
@usableFromInline
final class Disconnected<Value>: Sendable {
  @usableFromInline let value: Locked<Value?>

  @inlinable
  init(_ value: sending Value) {
    self.value = Locked(initially: value)
  }

  @inlinable
  func open() -> sending Value? {
    value.locked { value in
      let sent = value
      value = nil
      return sent
    }
  }

  @inlinable
  static func packing(
    _ result: sending Result<Value, any Error>
  ) -> Result<Disconnected<Value>, any Error> {
    switch result {
    case .success(let value): .success(Disconnected(value))
    case .failure(let error): .failure(error)
    }
  }

  @inlinable
  static func opening(
    _ discard: (@Sendable (sending Value) -> Void)?
  ) -> (@Sendable (Disconnected<Value>) -> Void)? {
    guard let discard else { return nil }
    return { disconnected in
      if let value = disconnected.open() { discard(value) }
    }
  }
}
