// A mistake about which the compiler, among so many overloads, would say something useless. It says these messages
// instead; nothing here is ever called.

extension AsyncCallbackSequence {
  @available(
    *,
    unavailable,
    message: "this SDK reports errors: use 'AsyncThrowingCallbackSequence'"
  )
  public init<Reason: Error, Token>(
    buffering policy: BufferingPolicy,
    subscribe: @escaping (_ yield: @escaping @Sendable (Result<Element, Reason>) -> Void) -> Token,
    onTermination terminate: @escaping (Token) -> Void
  ) {
    self.init(buffering: policy) { (_: @Sendable (Element) -> Void) in
    } onTermination: {
    }
  }

  @available(
    *,
    unavailable,
    message: "this SDK reports errors: use 'AsyncThrowingCallbackSequence'"
  )
  public init<Token>(
    buffering policy: BufferingPolicy,
    subscribe: @escaping (_ yield: @escaping @Sendable (Element?, (any Error)?) -> Void) -> Token,
    onTermination terminate: @escaping (Token) -> Void
  ) {
    self.init(buffering: policy) { (_: @Sendable (Element) -> Void) in
    } onTermination: {
    }
  }
}
