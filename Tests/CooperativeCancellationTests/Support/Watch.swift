import CooperativeCancellation
import FakeCallbackSDK

/// What one bridged call did, in order, and what a test wants done during it.
final class Watch: Sendable {
  enum Event: Equatable {
    case operation
    case onCancel
    case discard(String)

    var isDiscard: Bool { if case .discard = self { true } else { false } }
  }

  let line = Reports.shared.uniqueLine()
  let response: CancellationResponse
  let timeout: Timeout?
  private let beforeSDK: @Sendable () throws -> Void
  private let afterSDK: @Sendable () throws -> Void
  private let inOnCancel: @Sendable () -> Void
  private let inOnDiscard: @Sendable () -> Void
  private let log = Protected<[Event]>([])

  init(
    response: CancellationResponse = .abandonCallback,
    timeout: Timeout? = nil,
    beforeSDK: @escaping @Sendable () throws -> Void = {},
    afterSDK: @escaping @Sendable () throws -> Void = {},
    inOnCancel: @escaping @Sendable () -> Void = {},
    inOnDiscard: @escaping @Sendable () -> Void = {}
  ) {
    self.response = response
    self.timeout = timeout
    self.beforeSDK = beforeSDK
    self.afterSDK = afterSDK
    self.inOnCancel = inOnCancel
    self.inOnDiscard = inOnDiscard
  }

  var events: [Event] { log.withLock { $0 } }
  var discarded: Int { events.count { $0.isDiscard } }

  /// How many values the discards carried: two values of one completion are one discard.
  var valuesDiscarded: Int {
    events.reduce(0) { count, event in
      if case .discard(let ids) = event { count + ids.split(separator: "+").count } else { count }
    }
  }

  var forwarded: Int { events.filter { $0 == .onCancel }.count }
  var reports: [RuntimeIssue.Kind] { Reports.shared.kinds(line: line) }

  /// The body of every `operation` closure under test.
  func operation<Result>(_ callSDK: () -> Result) throws -> Result {
    log.withLock { $0.append(.operation) }
    try beforeSDK()
    let request = callSDK()
    try afterSDK()
    return request
  }

  /// The body of every `onCancel` closure under test.
  func onCancel(_ request: Request) {
    log.withLock { $0.append(.onCancel) }
    inOnCancel()
    request.cancel()
  }

  /// The body of every `onDiscard` closure under test.
  func onDiscard(_ id: String) {
    log.withLock { $0.append(.discard(id)) }
    inOnDiscard()
  }

  /// For several values of one completion.
  func onDiscard(_ ids: String?...) { onDiscard(ids.compactMap(\.self).joined(separator: "+")) }
}
