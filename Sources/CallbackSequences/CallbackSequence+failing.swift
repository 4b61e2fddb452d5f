public import CooperativeCancellation

extension CallbackSequence where Failure == any Error {
  /// Creates a sequence for an SDK whose callback takes a `Result`. A failure ends the sequence.
  ///
  /// The parameters are those of the initializer for a plain value.
  @_alwaysEmitIntoClient
  public init<Reason: Error, Token>(
    buffering policy: BufferingPolicy,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    in subscribe:
      @escaping (
        _ yield: @escaping @Sendable (Result<Element, Reason>) -> Void
      ) throws(Failure) -> Token,
    onTermination terminate: @escaping (Token) -> Void,
    onDiscard discard: (@Sendable (Element) -> Void)? = nil
  ) {
    source = Source(policy, isolation, discard, terminate, fileID, line) { callback in
      try subscribe { callback.yield($0) }
    }
  }

  /// Creates a sequence for an SDK whose callback takes a value and an error. An error ends the
  /// sequence.
  ///
  /// A value that comes with an error is discarded. A call with neither ends the sequence with
  /// `MissingValueError`, which names `fileID` and `line`. The parameters are those of the
  /// initializer for a plain value.
  @_alwaysEmitIntoClient
  public init<Token>(
    buffering policy: BufferingPolicy,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    in subscribe:
      @escaping (
        _ yield: @escaping @Sendable (Element?, (any Error)?) -> Void
      ) throws(Failure) -> Token,
    onTermination terminate: @escaping (Token) -> Void,
    onDiscard discard: (@Sendable (Element) -> Void)? = nil
  ) {
    let callSite = CallSite(fileID: fileID, line: line)
    source = Source(policy, isolation, discard, terminate, fileID, line) { callback in
      try subscribe { callback.yield($0, $1, callSite) }
    }
  }

  /// Creates a sequence for an SDK with one callback for values and one for the end, which takes an
  /// optional error.
  ///
  /// ```swift
  /// AsyncThrowingCallbackSequence(buffering: .unbounded) { yield, finish in
  ///   let scanner = Scanner()
  ///   let delegate = ScannerDelegate(onCode: yield, onEnd: finish)
  ///   scanner.delegate = delegate
  ///   scanner.start()
  ///   return (scanner, delegate)
  /// } onTermination: { scanner, _ in
  ///   scanner.stop()
  /// }
  /// ```
  ///
  /// `finish(nil)` ends the sequence; `finish(error)` ends it with that error. If the SDK has one
  /// closure for both, pass `finish` itself. The parameters are those of the initializer for a
  /// plain value.
  @_alwaysEmitIntoClient
  public init<Token>(
    buffering policy: BufferingPolicy,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    in subscribe:
      @escaping (
        _ yield: @escaping @Sendable (Element) -> Void,
        _ finish: @escaping @Sendable ((any Error)?) -> Void
      ) throws(Failure) -> Token,
    onTermination terminate: @escaping (Token) -> Void,
    onDiscard discard: (@Sendable (Element) -> Void)? = nil
  ) {
    source = Source(policy, isolation, discard, terminate, fileID, line) { callback in
      try subscribe({ callback.yield($0) }, { callback.end($0.map { .failed($0) } ?? .finished) })
    }
  }
}
