import CooperativeCancellation
import CooperativeCancellationTesting
import FakeCallbackSDK
import Testing

/// What happens to one bridged call, in order, and what must come of it. ``GuaranteeTests`` plays
/// each with every form that it is about, on an actor and on none.
struct Story: Sendable, CustomTestStringConvertible {
  /// What happens, or what must hold at that moment.
  enum Step: Sendable, Equatable {
    /// The task runs until it has ended or sleeps.
    case run
    case cancel
    case answer
    case fail
    case drop
    /// The time is up, and the task has been woken.
    case timeOut
    /// The SDK hands a request over in a callback.
    case handOver
    case waits
    case timerRuns
    case timerHasEnded
    case hasForwarded(Int)
    case hasDiscarded(Int)
    case keepsRequests(Int)
    case isSilent
  }

  /// Where `meanwhile` happens: inside a callback, where a lock that is still held would be taken
  /// again.
  enum Moment {
    case inResumption
    case inOnCancel
    case inOnDiscard
    /// On the thread that cancels, in a handler around the call.
    case inCancellation
    case inRequestRelease
    case inValueRelease
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
    case timedOut
  }

  /// In words.
  let holds: String
  let forms: [BridgeForm]
  let responses: [CancellationResponse]
  let sdk: Behavior
  let operation: Operation
  /// An answer or a cancellation that comes once, in the middle of something else.
  let meanwhile: (moment: Moment, step: Step)?
  let steps: [Step]
  let ends: End
  /// How the call ends instead if the response or the form asks for the SDK's answer, or ignores a
  /// cancellation.
  let unlessAsked: End?
  /// How the call of a form without a check after ends instead.
  let unlessChecked: End?
  /// How many surplus answers are discarded: successes and failures. Some forms bring a value with
  /// a failure.
  let surplus: (successes: Int, failures: Int)
  let forwards: Int
  /// How many surplus answers are reported.
  let reports: Int
  let callsSDK: Bool
  /// Where the story is told, which a failure names.
  let location: SourceLocation

  init(
    holds: String,
    forms: [BridgeForm] = BridgeForm.all,
    responses: [CancellationResponse] = [.abandonCallback],
    sdk: Behavior = .onDemand,
    operation: Operation = .callsSDK,
    meanwhile: (moment: Moment, step: Step)? = nil,
    steps: [Step],
    ends: End,
    unlessAsked: End? = nil,
    unlessChecked: End? = nil,
    surplus: (successes: Int, failures: Int) = (0, 0),
    forwards: Int = 0,
    reports: Int = 0,
    callsSDK: Bool = true,
    location: SourceLocation = #_sourceLocation
  ) {
    self.holds = holds
    self.forms = forms
    self.responses = responses
    self.sdk = sdk
    self.operation = operation
    self.meanwhile = meanwhile
    self.steps = steps
    self.ends = ends
    self.unlessAsked = unlessAsked
    self.unlessChecked = unlessChecked
    self.surplus = surplus
    self.forwards = forwards
    self.reports = reports
    self.callsSDK = callsSDK
    self.location = location
  }

  var testDescription: String { holds }

  func play() async throws {
    WaitingCalls.startRecording()
    for form in forms {
      for response in responses {
        for actor in [nil, HandDrivenActor()] { try await play(form, response, on: actor) }
      }
    }
  }

  private func play(
    _ form: BridgeForm,
    _ response: CancellationResponse,
    on actor: HandDrivenActor?
  ) async throws {
    let clock = ManualClock()
    let hasTimeout = steps.contains { [.timeOut, .timerRuns].contains($0) }
    let isToCome = Protected<(@Sendable () -> Void)?>(nil)
    let happens: @Sendable () -> Void = { isToCome.withLock { $0.take() }?() }
    let watch = Watch(
      response: response,
      timeout: hasTimeout ? Timeout(.seconds(5), clock: clock) : nil,
      beforeSDK: { if operation == .cancelsItsTask { cancelThisTask() } },
      afterSDK: {
        if operation == .callsSDKAndCancelsItsTask { cancelThisTask() }
        if operation == .callsSDKAndThrows { throw Refusal() }
      },
      inOnCancel: { if meanwhile?.moment == .inOnCancel { happens() } },
      inOnDiscard: { if meanwhile?.moment == .inOnDiscard { happens() } }
    )
    let call = TestCall(form, sdk, watch, on: actor) {
      if meanwhile?.moment == .inCancellation { happens() }
    }
    if let (moment, step) = meanwhile {
      let (backend, task) = (call.backend, call.task)
      isToCome.withLock { $0 = { step == .cancel ? task.cancel() : backend.answer() } }
      switch moment {
      case .inResumption: call.executor.onEnqueue(happens)
      case .inRequestRelease: backend.hooks.withLock { $0.onRequestRelease = happens }
      case .inValueRelease: backend.hooks.withLock { $0.onValueRelease = happens }
      case .inOnCancel, .inOnDiscard, .inCancellation: break
      }
    }
    var order: [String] = []
    func require<Fact: Equatable>(_ what: String, _ fact: Fact, _ expected: Fact) {
      if fact == expected { return }
      let place = actor == nil ? "" : ", on an actor"
      let story = order.joined(separator: ", ")
      Issue.record(
        """
        it does not hold that \(holds): with \(form), \(response)\(place), after \(story): \
        \(what): \(fact), and not \(expected)
        """,
        sourceLocation: location
      )
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
      case .timeOut: try await call.timeOut(clock)
      case .handOver: call.backend.handOverRequests()
      case .waits: require("ending", call.ending, nil)
      case .timerRuns: try await clock.waitForSleeper(within: .watchdog)
      case .timerHasEnded:
        try await clock.waitForWakeUp(within: .watchdog)
        require("timers", clock.sleeperCount, 0)
      case .hasForwarded(let count):
        require("forwarded", watch.forwarded, forwarded(count, by: form, response))
      case .hasDiscarded(let count): require("discarded", watch.discarded, form.values(count))
      case .keepsRequests(let count): require("requests kept", call.backend.requests, count)
      case .isSilent: require("reports", watch.reports, [])
      }
      let done = watch.events.dropFirst(before)
      order += done.map { "(\($0))" }
      // What the task discards, it discards when the SDK has been told.
      if step == .run, let told = done.firstIndex(of: .onCancel) {
        require("discarded before onCancel", done[..<told].count { $0.isDiscard }, 0)
      }
      // A call that has begun, and has not ended, is listed.
      let waits = call.ending == nil && watch.events.contains(.operation)
      let states = WaitingCall.states(line: watch.line)
      require("waiting calls", states.count, waits ? 1 : 0)
      if step == .run { require("calls that should have run", states.count { $0 == .over }, 0) }
    }
    require("left to come", isToCome.withLock { $0 == nil }, true)
    let end = end(of: form, response)
    require("ending", call.ending, end.ending(form, watch))
    require("discarded", watch.discarded, discards(end, form))
    // Whoever gets the error of a cancellation or a timeout knows that the SDK was told, if it was
    // called.
    let isInterrupted = end == .cancelled || end == .timedOut
    let forwards = isInterrupted && callsSDK ? 1 : forwarded(forwards, by: form, response)
    require("forwarded", watch.forwarded, forwards)
    require("reports", watch.reports, form.reports(again: reports) + end.dropReports(form))
    require("calls of operation", watch.events.filter { $0 == .operation }.count, callsSDK ? 1 : 0)
    require("calls of the SDK", call.backend.counts.started, callsSDK ? 1 : 0)
    require("requests cancelled", call.backend.counts.cancelled, forwards)
    if !sdk.keepsCompletion || !sdk.inside.isEmpty {
      require("values alive", call.backend.valuesAlive, 0)
    }
    let isDelivered = form.carriesValue && call.ending == form.delivered
    let values = (isDelivered ? form.valuesPerAnswer : 0) + watch.valuesDiscarded
    require("values delivered and discarded", values, call.backend.valuesMade)
    call.backend.drop()
    if call.ending != nil { require("objects alive", call.backend.objectsAlive, 0) }
  }

  private func end(of form: BridgeForm, _ response: CancellationResponse) -> End {
    if !form.checks, let unlessChecked { return unlessChecked }
    let isAsked = form.kind == .unconditional || response.delivers
    return isAsked ? unlessAsked ?? ends : ends
  }

  /// A cancellation that is ignored is not forwarded.
  private func forwarded(
    _ count: Int,
    by form: BridgeForm,
    _ response: CancellationResponse
  ) -> Int {
    let ignores = form.kind == .unconditional || !response.heeds
    return ignores && !steps.contains(.timeOut) ? 0 : count
  }

  private func discards(_ end: End, _ form: BridgeForm) -> Int {
    var (successes, failures) = surplus
    if end == ends, unlessAsked == .delivered { successes += 1 }
    if end == ends, unlessAsked == .failed { failures += 1 }
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
    case .timedOut: form.timedOut(watch)
    case .dropped where form.kind == .throwing: .dropped(line: watch.line)
    case .dropped where form.kind == .unconditional: form.carriesValue ? nil : form.delivered
    case .dropped: .fallback
    }
  }

  fileprivate func dropReports(_ form: BridgeForm) -> [RuntimeIssue.Kind] {
    let isReported = self == .dropped && form.kind != .throwing && !form.isPending
    return isReported ? [.completionDropped] : []
  }
}

/// Cancels the task that runs this.
@Sendable func cancelThisTask() { withUnsafeCurrentTask { $0?.cancel() } }
