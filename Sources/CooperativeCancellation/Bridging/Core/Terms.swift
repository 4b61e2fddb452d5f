/// What a caller asks of one bridged call, apart from the call itself.
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

  /// The same with another response.
  func responding(with response: CancellationResponse) -> Terms {
    Terms(response, timeout, callSite)
  }

  /// The check before.
  @inlinable
  @inline(__always)
  func causeNotToBegin() -> Interruption? {
    if Task.isCancelled { return .cancelled }
    if let timeout, timeout.isOver { return .timedOut }
    return nil
  }

  /// What a wait throws that was interrupted.
  @usableFromInline
  func error(for cause: Interruption) -> any Error {
    guard cause == .timedOut, let timeout else { return CancellationError() }
    return TimeoutError(timeout, callSite: callSite)
  }
}
