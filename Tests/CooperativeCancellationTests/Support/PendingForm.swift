import CooperativeCancellation
import FakeCallbackSDK

// Pending calls as one more form of bridge. The SDK's completion stands for the connection: it resumes the call, and
// when it is released, the connection is lost, and everything that waits ends with an error. A value for which nobody
// waits is discarded by the code that brought it.
extension BridgeForm {
  static let pending = [pendingByID, pendingByReturnedID, pendingSending, pendingAlone]

  static let pendingByID = BridgeForm(
    testDescription: "pending, id given",
    kind: .throwing,
    delivered: .value("1"),
    isPending: true
  ) { sdk, watch in
    let calls = PendingCalls<String, User>()
    return await ending {
      try await calls.value(
        for: "1",
        whenCancelled: watch.response,
        timeout: watch.timeout,
        line: watch.line
      ) {
        try watch.operation {
          let connection = Connection { calls.close(throwing: watch.dropped) }
          return sdk.loadUser(id: "1") { result in
            withExtendedLifetime(connection) {
              let isTaken = calls.resume("1", with: result)
              if !isTaken, let user = try? result.get() { watch.onDiscard(user.id) }
            }
          }
        }
      } onCancel: {
        watch.onCancel($0)
      } onDiscard: {
        watch.onDiscard($0.id)
      }.id
    }
  }

  static let pendingByReturnedID = BridgeForm(
    testDescription: "pending, id returned",
    kind: .throwing,
    delivered: .value("typed"),
    isPending: true
  ) { sdk, watch in
    let calls = PendingCalls<String, User> { _, result in
      if let user = try? result.get() { watch.onDiscard(user.id) }
    }
    var request: Request?
    return await ending {
      try await calls.value(
        whenCancelled: watch.response,
        timeout: watch.timeout,
        line: watch.line
      ) {
        request = try watch.operation {
          let connection = Connection { calls.close(throwing: watch.dropped) }
          return sdk.typedUser { result in
            withExtendedLifetime(connection) {
              let isTaken = calls.resume("typed", with: result)
              if !isTaken, let user = try? result.get() { watch.onDiscard(user.id) }
            }
          }
        }
        return "typed"
      } onCancel: { _ in
        if let request { watch.onCancel(request) }
      } onDiscard: {
        watch.onDiscard($0.id)
      }.id
    }
  }

  static let pendingSending = BridgeForm(
    testDescription: "pending, not Sendable",
    kind: .throwing,
    delivered: .value("session"),
    isPending: true
  ) { sdk, watch in
    let calls = PendingCalls<Int, Session>()
    return await ending {
      try await calls.value(
        for: 1,
        whenCancelled: watch.response,
        timeout: watch.timeout,
        line: watch.line
      ) {
        try watch.operation {
          let connection = Connection { calls.close(throwing: watch.dropped) }
          return sdk.openSession { result in
            switch result {
            case .success(let session):
              if let session = calls.resume(1, returning: session) {
                watch.onDiscard(session.user.id)
              }
            case .failure(let error):
              calls.resume(1, throwing: error)
            }
            withExtendedLifetime(connection) {}
          }
        }
      } onCancel: {
        watch.onCancel($0)
      } onDiscard: {
        watch.onDiscard($0.user.id)
      }.user.id
    }
  }

  static let pendingAlone = BridgeForm(
    testDescription: "pending, one at a time",
    kind: .throwing,
    delivered: .value("1"),
    isPending: true
  ) { sdk, watch in
    let calls = PendingCall<User>()
    return await ending {
      try await calls.value(
        whenCancelled: watch.response,
        timeout: watch.timeout,
        line: watch.line
      ) {
        try watch.operation {
          let connection = Connection { calls.close(throwing: watch.dropped) }
          return sdk.loadUser(id: "1") { result in
            withExtendedLifetime(connection) {
              let isTaken = calls.resume(with: result)
              if !isTaken, let user = try? result.get() { watch.onDiscard(user.id) }
            }
          }
        }
      } onCancel: {
        watch.onCancel($0)
      } onDiscard: {
        watch.onDiscard($0.id)
      }.id
    }
  }
}

/// What the SDK's completion keeps: when it goes, the connection is lost.
final class Connection: Sendable {
  private let onLoss: @Sendable () -> Void

  init(onLoss: @escaping @Sendable () -> Void) {
    self.onLoss = onLoss
  }

  deinit {
    onLoss()
  }
}

extension Watch {
  var dropped: DroppedCompletionError { DroppedCompletionError(callSite: CallSite(line: line)) }
}
