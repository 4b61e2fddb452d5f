import CooperativeCancellation
import FakeCallbackSDK
import PendingAnswers
import Testing

// Pending calls as one more form of bridge. The SDK's completion stands for the connection: it
// resumes the call, and when it is released, the connection is lost, and everything that waits ends
// with an error. A value for which no call waits is discarded by the code that brought it. A table,
// as in BridgeForm+shapes.swift.
// swift-format-ignore
extension BridgeForm {
  static let pending = [
    pendingByID, pendingByReturnedID, pendingSending, pendingInOrder, pendingAlone,
  ]

  static let pendingByID = throwingForm("pending, id given", delivers: "1", .pending) {
    sdk, watch in
    let calls = PendingCalls<String, User>()
    return try await calls.value(
      for: "1", whenCancelled: watch.response, timeout: watch.timeout, line: watch.line
    ) {
      try watch.operation {
        sdk.loadUser(
          id: "1", completion: wire(watch, calls.close) { calls.tryResume("1", with: $0) }
        )
      }
    } onCancel: {
      #expect(calls.count == 1)
      watch.onCancel($0)
    } onDiscard: {
      watch.onDiscard($0.id)
    }.id
  }

  static let pendingByReturnedID = byReturnedID("pending, id returned")
  static let pendingInOrder = byReturnedID("pending, id returned, in order", .answerInOrder)

  private static func byReturnedID(
    _ testDescription: String, _ policy: PendingCalls<String, User>.TakenIDPolicy = .throwError
  ) -> BridgeForm {
    throwingForm(testDescription, delivers: "typed", .pending) { sdk, watch in
      let calls = PendingCalls<String, User>(ifTaken: policy) { _, result in
        if let user = try? result.get() { watch.onDiscard(user.id) }
      }
      var request: Request?
      return try await calls.value(
        whenCancelled: watch.response, timeout: watch.timeout, line: watch.line
      ) {
        request = try watch.operation {
          sdk.typedUser(wire(watch, calls.close) { calls.tryResume("typed", with: $0) })
        }
        return "typed"
      } onCancel: { id in
        #expect(id == "typed")
        if let request { watch.onCancel(request) }
      }
      onDiscard: { watch.onDiscard($0.id) }.id
    }
  }

  static let pendingSending = throwingForm("pending, not Sendable", delivers: "session", .pending) {
    sdk, watch in
    let calls = PendingCalls<Int, Session>()
    return try await calls.value(
      for: 1, whenCancelled: watch.response, timeout: watch.timeout, line: watch.line
    ) {
      try watch.operation {
        let connection = OnRelease { calls.close(throwing: watch.dropped) }
        return sdk.openSession { result in
          switch result {
          case .success(let session):
            if let late = calls.tryResume(1, sending: session) { watch.onDiscard(late.user.id) }
          case .failure(let error): calls.resume(1, throwing: error)
          }
          withExtendedLifetime(connection) {}
        }
      }
    } onCancel: { watch.onCancel($0) } onDiscard: { watch.onDiscard($0.user.id) }.user.id
  }

  static let pendingAlone = throwingForm("pending, one at a time", delivers: "1", .pending) {
    sdk, watch in
    let calls = PendingCall<User>()
    return try await calls.value(
      whenCancelled: watch.response, timeout: watch.timeout, line: watch.line
    ) {
      try watch.operation {
        sdk.loadUser(id: "1", completion: wire(watch, calls.close) { calls.tryResume(with: $0) })
      }
    } onCancel: { watch.onCancel($0) } onDiscard: { watch.onDiscard($0.id) }.id
  }
}

/// The SDK's completion: brings its answers to `resume`, and calls `close` when it is released.
private func wire<Failure: Error>(
  _ watch: Watch,
  _ close: @escaping @Sendable (any Error) -> Void,
  resume: @escaping @Sendable (Result<User, Failure>) -> Bool
) -> @Sendable (Result<User, Failure>) -> Void {
  let connection = OnRelease { close(watch.dropped) }
  return { result in
    withExtendedLifetime(connection) {
      if !resume(result), let user = try? result.get() { watch.onDiscard(user.id) }
    }
  }
}

extension Watch {
  var dropped: DroppedCompletionError { DroppedCompletionError(callSite: CallSite(line: line)) }
}
