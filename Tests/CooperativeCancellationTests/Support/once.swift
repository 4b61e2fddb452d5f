import FakeCallbackSDK

/// Runs `body` at the first call only.
func once(_ body: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
  let isToCome = Protected<(@Sendable () -> Void)?>(body)
  return { isToCome.withLock { $0.take() }?() }
}
