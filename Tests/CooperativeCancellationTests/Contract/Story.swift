import CooperativeCancellation
import FakeCallbackSDK
import Testing

/// What happens to one bridged call, in order, and what must come of it. ``GuaranteeTests`` plays each with every form
/// that it is about.
struct Story: Sendable, CustomTestStringConvertible {
  /// What happens, or what must hold at that moment.
  enum Step: Sendable, Equatable {
    /// The task runs until it has ended or sleeps.
    case run
    case cancel
    case answer
    case fail
    case drop
    case waits
    case hasForwarded(Int)
    case hasDiscarded(Int)
    case isSilent
  }

  /// What `operation` does besides calling the SDK.
  enum Operation: Sendable {
    case callsSDK
    case cancelsItsTask
    case callsSDKAndCancelsItsTask
    case callsSDKAndThrows
  }

  enum End: Sendable {
    case delivered
    case failed
    case dropped
    case refused
    case cancelled
    /// Cancelled, unless the response or the form asks for the SDK's last word.
    indirect case cancelledUnlessAsked(for: End)
    case waits
  }

  /// In words.
  let holds: String
  var forms = BridgeForm.all
  var responses: [CancellationResponse] = [.abandonCallback]
  var sdk = Behavior.onDemand
  var operation = Operation.callsSDK
  let steps: [Step]
  let ends: End
  /// How many surplus answers are discarded: successes and failures. Some forms bring a value with a failure.
  var surplus = (successes: 0, failures: 0)
  var forwards = 0
  /// How many surplus answers are reported.
  var reports = 0
  var callsSDK = true

  var testDescription: String { holds }

  func play() {
    for form in forms {
      for response in responses { play(form, response) }
    }
  }

  private func play(_ form: BridgeForm, _ response: CancellationResponse) {
    let watch = Watch(
      response: response,
      beforeSDK: { if operation == .cancelsItsTask { cancelThisTask() } },
      afterSDK: {
        if operation == .callsSDKAndCancelsItsTask { cancelThisTask() }
        if operation == .callsSDKAndThrows { throw Refusal() }
      }
    )
    let call = TestCall(form, sdk, watch)
    var order: [String] = []
    func require<Fact: Equatable>(_ what: String, _ fact: Fact, _ expected: Fact) {
      if fact == expected { return }
      let story = order.joined(separator: ", ")
      Issue.record("\(form), \(response): \(story): \(what): \(fact), and not \(expected)")
    }
    for step in steps {
      let before = watch.events.count
      order.append("\(step)")
      switch step {
      case .run: call.run()
      case .cancel: call.cancel()
      case .answer: call.backend.answer()
      case .fail: call.backend.answer(.failure(.failed))
      case .drop: call.backend.drop()
      case .waits: require("ending", call.ending, nil)
      case .hasForwarded(let count): require("forwarded", watch.forwarded, count)
      case .hasDiscarded(let count): require("discarded", watch.discarded, form.values(count))
      case .isSilent: require("reports", watch.reports, [])
      }
      order += watch.events.dropFirst(before).map { "(\($0))" }
    }
    let end = resolved(ends, form, response)
    require("ending", call.ending, end.ending(form, watch))
    require("discarded", watch.discarded, discards(end, form))
    require("forwarded", watch.forwarded, forwards)
    require("reports", watch.reports, form.reports(again: reports) + end.dropReports(form))
    require("calls of operation", watch.events.filter { $0 == .operation }.count, callsSDK ? 1 : 0)
    require("calls of the SDK", call.backend.counts.started, callsSDK ? 1 : 0)
    require("requests cancelled", call.backend.counts.cancelled, forwards)
    if !sdk.keepsCompletion || !sdk.inside.isEmpty {
      require("values alive", call.backend.valuesAlive, 0)
    }
  }

  private func resolved(
    _ end: End,
    _ form: BridgeForm,
    _ response: CancellationResponse
  ) -> End {
    guard case .cancelledUnlessAsked(for: let word) = end else { return end }
    return form.kind == .unconditional || response == .deliverResult ? word : .cancelled
  }

  private func discards(_ end: End, _ form: BridgeForm) -> Int {
    var (successes, failures) = surplus
    if case (.cancelledUnlessAsked(for: .delivered), .cancelled) = (ends, end) { successes += 1 }
    if case (.cancelledUnlessAsked(for: .failed), .cancelled) = (ends, end) { failures += 1 }
    // A `Bool` beside an error.
    if case .failed = end, form.failed(Watch()) != form.delivered { failures += 1 }
    return form.values(successes, failures: failures)
  }
}

struct Refusal: Error {}

extension Story.End {
  fileprivate func ending(_ form: BridgeForm, _ watch: Watch) -> Ending? {
    switch self {
    case .delivered: form.delivered
    case .failed: form.failed(watch)
    case .refused: .other("Refusal()")
    case .cancelled: form.cancelled
    case .waits: nil
    case .dropped where form.kind == .throwing: .dropped(line: watch.line)
    case .dropped where form.kind == .unconditional: form.carriesValue ? nil : form.delivered
    case .dropped: .fallback
    case .cancelledUnlessAsked(let end): end.ending(form, watch)
    }
  }

  fileprivate func dropReports(_ form: BridgeForm) -> [MisuseReport.Kind] {
    if case .dropped = self, form.kind != .throwing { [.completionDropped] } else { [] }
  }
}

/// Cancels the task that runs this.
@Sendable func cancelThisTask() {
  withUnsafeCurrentTask { $0?.cancel() }
}
