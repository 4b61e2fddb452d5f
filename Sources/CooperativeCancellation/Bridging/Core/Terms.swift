/// The options of one bridged call.
@frozen
@usableFromInline
struct Terms {
  @usableFromInline let response: CancellationResponse
  @usableFromInline let timeout: Timeout?
  @usableFromInline let callSite: CallSite

  @inlinable
  init(
    whenCancelled response: CancellationResponse,
    timeout: Timeout?,
    fileID: StaticString,
    line: UInt
  ) {
    self.response = response
    self.timeout = timeout
    self.callSite = CallSite(fileID: fileID, line: line)
  }

  private init(_ response: CancellationResponse, _ timeout: Timeout?, _ callSite: CallSite) {
    self.response = response
    self.timeout = timeout
    self.callSite = callSite
  }

  /// Returns the same terms with another response.
  func responding(with response: CancellationResponse) -> Terms {
    Terms(response, timeout, callSite)
  }

  /// The check before: why the SDK must not be called, or `nil`.
  @inlinable
  @inline(__always)
  func causeNotToBegin() -> Interruption? {
    if Task.isCancelled { return .cancelled }
    if let timeout, timeout.isOver { return .timedOut }
    return nil
  }

  /// The error of an interrupted wait.
  @usableFromInline
  func error(for cause: Interruption) -> any Error {
    guard cause == .timedOut, let timeout else { return CancellationError() }
    return TimeoutError(timeout, callSite: callSite)
  }
}
