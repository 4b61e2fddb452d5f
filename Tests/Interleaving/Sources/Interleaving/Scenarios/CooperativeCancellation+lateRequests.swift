import CooperativeCancellation

extension Scenario {
  static let lateRequests = [requestAndAnswer, twoRequests, requestAfterError]

  /// The requests that an SDK delivered, and those that were cancelled.
  private final class Requests: @unchecked Sendable {
    private let run: Run
    private var delivered = 0
    private(set) var cancelled: [String] = []

    init(in run: Run) { self.run = run }

    func make() -> Packet {
      delivered += 1
      return Packet("request \(delivered)", in: run)
    }

    func cancel(_ request: Packet) {
      run.userCode("cancel of \(request.name)")
      run.expect(!cancelled.contains(request.name), "\(request.name) is cancelled again")
      cancelled.append(request.name)
    }

    /// All are cancelled if the cancellation is forwarded, and none otherwise.
    func check(for call: Call) {
      run.expect(
        cancelled.count == (call.forwards > 0 ? delivered : 0),
        "\(delivered) requests, \(cancelled.count) cancelled, \(call.forwards) forwarded"
      )
    }
  }

  private static func lateRequest(
    _ title: String,
    outcomes: Set<String>,
    _ sdk:
      @escaping @Sendable (
        Run, Call, Requests, _ arrived: @escaping @Sendable () -> Void, @escaping Completion
      ) throws -> Void
  ) -> Scenario {
    Scenario("late request: \(title)", outcomes: outcomes) { run in
      let call = Call(in: run)
      let requests = Requests(in: run)
      let task = call.begin {
        try await withAsyncThrowingValue { (completion: @escaping Completion) in
          try LateRequest {
            (arrived: @escaping @Sendable (sending Packet) -> Void) in
            try sdk(run, call, requests, { arrived(requests.make()) }, completion)
          }
        } onCancel: { (request: LateRequest<Packet>) in
          call.onCancel()
          request.cancel { requests.cancel($0) }
        } onDiscard: {
          call.onDiscard($0)
        }
      }
      run.thread("canceller") { task.cancel() }
      run.atEnd { requests.check(for: call) }
    }
  }

  private static let requestAndAnswer = lateRequest(
    "request, answer, cancellation",
    outcomes: ["value", "cancelled", "cancelled, forwarded, discarded"]
  ) { run, call, _, arrived, completion in
    run.thread("request") { arrived() }
    run.thread("SDK") { completion(.success(call.value())) }
  }

  /// As with a retry. No answer comes.
  private static let twoRequests = lateRequest(
    "request, request, cancellation",
    outcomes: ["cancelled", "cancelled, forwarded"]
  ) { run, _, _, arrived, completion in
    for number in 1...2 {
      run.thread("request \(number)") { arrived() }
    }
    run.atEnd { withExtendedLifetime(completion) {} }
  }

  private static let requestAfterError = lateRequest(
    "throws, request, cancellation",
    outcomes: ["error", "cancelled"]
  ) { run, _, _, arrived, _ in
    run.thread("request") { arrived() }
    throw SDKError()
  }
}
