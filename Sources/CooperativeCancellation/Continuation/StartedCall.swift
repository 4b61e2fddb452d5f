/// A call whose SDK has been called.
@usableFromInline package enum StartedCall<Answer: Sendable, Request: ~Copyable>: ~Copyable {
  case finished(Answer, Request)
  case waiting(Wait, Request)

  /// Runs `operation`, which passes the SDK a completion closure that owns the reply. A separate
  /// synchronous function, so that it releases the reply before the task sleeps: then only the
  /// closure owns it, and a drop destroys it.
  @_alwaysEmitIntoClient
  package static func start<Failure: Error>(
    _ makeReply: @autoclosure () -> Reply<Answer>,
    makeWait: @autoclosure () -> Wait,
    in operation: (Reply<Answer>) throws(Failure) -> Request
  ) throws(Failure) -> StartedCall {
    let reply = makeReply()
    let request: Request
    do {
      request = try operation(reply)
    } catch {
      reply.operationThrew()
      throw error
    }
    if let answer = reply.take() { return .finished(answer, request) }
    let wait = makeWait()
    if let answer = reply.takeOrAwait(by: wait) { return .finished(answer, request) }
    return .waiting(wait, request)
  }
}
