// These forms exist for their error messages only: without them, the compiler would blame an
// unrelated overload.

extension CallbackSequence where Failure == Never {
  @available(*, unavailable, message: "the SDK reports errors: use 'AsyncThrowingCallbackSequence'")
  public init<Reason: Error, Token>(
    buffering policy: BufferingPolicy,
    in subscribe:
      @escaping (_ yield: @escaping @Sendable (Result<Element, Reason>) -> Void) -> Token,
    onTermination terminate: @escaping (Token) -> Void
  ) {
    self.init(buffering: policy) { (_: @Sendable (Element) -> Void) in
    } onTermination: {
    }
  }

  @available(*, unavailable, message: "the SDK reports errors: use 'AsyncThrowingCallbackSequence'")
  public init<Token>(
    buffering policy: BufferingPolicy,
    in subscribe:
      @escaping (_ yield: @escaping @Sendable (Element?, (any Error)?) -> Void) -> Token,
    onTermination terminate: @escaping (Token) -> Void
  ) {
    self.init(buffering: policy) { (_: @Sendable (Element) -> Void) in
    } onTermination: {
    }
  }
}
