/// What a caller asks of one bridged call, apart from the call itself.
@frozen
@usableFromInline
struct Terms {
  @usableFromInline let response: CancellationResponse
  @usableFromInline let timeout: Timeout?
  @usableFromInline let callSite: CallSite

  @inlinable
  init(
    _ response: CancellationResponse,
    _ timeout: Timeout?,
    _ fileID: StaticString,
    _ line: UInt
  ) {
    self.response = response
    self.timeout = timeout
    self.callSite = CallSite(fileID: fileID, line: line)
  }

  /// What a wait throws that was interrupted.
  @usableFromInline
  func error(for cause: Interruption) -> any Error {
    guard cause == .timedOut, let timeout else { return CancellationError() }
    return TimeoutError(timeout, callSite: callSite)
  }
}
