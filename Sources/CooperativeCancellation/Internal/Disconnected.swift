/// Carries a value that is not `Sendable` through code that requires `Sendable`.
///
/// The value goes in and comes out as `sending`, so no other code has a reference to it, and it is opened once. A
/// `Sendable` value needs neither.
@frozen
@usableFromInline
enum Disconnected<Value>: Sendable {
  /// Only one caller gets it.
  case once(LockedObject<Value?>)
  case sendable(@Sendable () -> sending Value)

  @inlinable
  init(_ value: sending Value) {
    self = .once(LockedObject(initially: value))
  }

  @inlinable
  @inline(__always)
  func open() -> sending Value? {
    switch self {
    case .once(let once):
      once.locked { value in
        let sent = value
        value = nil
        return sent
      }
    case .sendable(let value): value()
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

extension Disconnected where Value: Sendable {
  @inlinable
  init(sendable value: Value) {
    self = .sendable { value }
  }
}
