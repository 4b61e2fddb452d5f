import CooperativeCancellation
import FakeCallbackSDK
import Testing

/// The guarantees that hold for every form, each as a story.
@Suite("The guarantees, over every form", .watchdog) struct GuaranteeTests {
  @Test(arguments: checks + outcomes + forwarding + timeouts + misuse + hostile)
  func `a guarantee holds for every form`(_ story: Story) async throws { try await story.play() }

  // A test of its own, because some waits never end: `.ci/run` looks for leaks in the others.
  @Test(arguments: drops)
  func `a dropped completion ends the wait, where it can end`(_ story: Story) async throws {
    try await story.play()
  }

  private static let cancellable = BridgeForm.cancellable
  private static let throwing = BridgeForm.throwing
  private static let unconditional = BridgeForm.unconditional
  private static let withValue = BridgeForm.all.filter(\.carriesValue)
  private static let all = CancellationResponse.allCases
  private static let heeding = CancellationResponse.heeding

  private static let checks = [
    Story(
      holds: "an error from the SDK is thrown unchanged, also to a task that is cancelled after it",
      forms: BridgeForm.failing,
      responses: all,
      steps: [.run, .fail, .cancel, .run],
      ends: .failed
    ),
    Story(
      holds: "a task that is already cancelled does not call the SDK",
      forms: BridgeForm.checking,
      responses: heeding,
      sdk: .insideTheCall,
      steps: [.cancel, .run],
      ends: .cancelled,
      callsSDK: false
    ),
    Story(
      holds: "a continuation calls the SDK in a cancelled task, tells it at once, and ends",
      forms: BridgeForm.unchecked,
      steps: [.cancel, .run, .hasForwarded(1), .answer],
      ends: .cancelled,
      surplus: (1, 0),
      forwards: 1
    ),
    Story(
      holds: "a continuation in a cancelled task ends with what the SDK answers inside the call",
      forms: BridgeForm.unchecked,
      responses: all,
      sdk: .insideTheCall,
      steps: [.cancel, .run],
      ends: .delivered
    ),
    Story(
      holds: "what operation returns is kept until the wait ends",
      forms: cancellable,
      steps: [.run, .waits, .keepsRequests(1), .cancel, .run, .keepsRequests(0)],
      ends: .cancelled,
      forwards: 1
    ),
    Story(
      holds: "a cancellation while operation runs ends the wait",
      forms: cancellable,
      operation: .callsSDKAndCancelsItsTask,
      steps: [.run],
      ends: .cancelled,
      forwards: 1
    ),
    Story(
      holds: "a value that came first is withheld from a cancelled task, and the SDK told",
      responses: all,
      steps: [.run, .answer, .cancel, .run],
      ends: .cancelled,
      unlessAsked: .delivered,
      unlessChecked: .delivered
    ),
    Story(
      holds: "a value is withheld, and the SDK told, if the callback cancels its own task",
      responses: all,
      sdk: .insideTheCall,
      operation: .cancelsItsTask,
      steps: [.run],
      ends: .cancelled,
      unlessAsked: .delivered,
      unlessChecked: .delivered
    ),
  ]

  private static let outcomes = [
    Story(
      holds: "after the first answer, nothing changes the outcome",
      steps: [.run, .waits, .answer, .fail, .answer, .drop, .run, .cancel, .run],
      ends: .delivered,
      surplus: (1, 1),
      reports: 2
    ),
    Story(
      holds: "an error from operation wins over a later answer, and only a second answer is misuse",
      forms: throwing,
      operation: .callsSDKAndThrows,
      steps: [.run, .answer, .isSilent, .hasDiscarded(1), .answer],
      ends: .refused,
      surplus: (2, 0),
      reports: 1
    ),
    Story(
      holds: "a completion that is dropped after operation threw is not misuse",
      forms: throwing,
      sdk: .dropping,
      operation: .callsSDKAndThrows,
      steps: [.run],
      ends: .refused
    ),
  ]

  private static let forwarding = [
    Story(
      holds: "a cancellation is forwarded once, by the task, however often it comes",
      responses: heeding,
      steps: [
        .run, .cancel, .cancel, .hasForwarded(0), .run, .cancel, .run, .hasForwarded(1), .answer,
        .run,
      ],
      ends: .cancelled,
      unlessAsked: .delivered,
      forwards: 1
    ),
    Story(
      holds: "a call that ignores a cancellation is made, not told, and delivered",
      forms: cancellable + unconditional,
      responses: [.ignoreCancellation],
      steps: [.cancel, .run, .waits, .cancel, .run, .waits, .answer, .cancel, .run],
      ends: .delivered
    ),
    Story(
      holds: "a wait that goes on ends when the SDK answers",
      forms: cancellable,
      responses: [.waitForCallback, .deliverResult],
      steps: [.run, .cancel, .run, .waits, .hasForwarded(1), .fail, .run],
      ends: .cancelled,
      unlessAsked: .failed,
      forwards: 1
    ),
    Story(
      holds: "a request whose cancel() answers with an error at once is harmless",
      forms: cancellable,
      sdk: .confirmingCancellation,
      steps: [.run, .cancel, .run],
      ends: .cancelled,
      unlessAsked: .failed,
      forwards: 1
    ),
  ]

  private static let timeouts = [
    Story(
      holds: "a timeout ends a call that ignores cancellations, and is forwarded",
      forms: cancellable,
      responses: [.ignoreCancellation],
      steps: [.cancel, .run, .timeOut, .run, .hasForwarded(1), .answer],
      ends: .timedOut,
      surplus: (1, 0),
      forwards: 1
    ),
    Story(
      holds: "a timeout before a cancellation is the error, forwarded once; a late value is normal",
      forms: cancellable,
      steps: [.run, .timeOut, .cancel, .run, .hasForwarded(1), .hasDiscarded(0), .answer],
      ends: .timedOut,
      surplus: (1, 0),
      forwards: 1
    ),
    Story(
      holds: "a timer ends with the answer, which releases what operation returned",
      forms: cancellable,
      steps: [
        .run, .timerRuns, .keepsRequests(1), .answer, .run, .timerHasEnded, .keepsRequests(0),
      ],
      ends: .delivered
    ),
  ]

  private static let misuse = [
    Story(
      holds: "more callbacks inside operation are ignored and reported, and their values released",
      sdk: .inside(.success, .success, .success),
      steps: [.run],
      ends: .delivered,
      surplus: (2, 0),
      reports: 2
    ),
    Story(
      holds: "the first late callback is silent and the second is reported",
      forms: cancellable,
      steps: [
        .run, .cancel, .run, .hasDiscarded(0), .answer, .hasDiscarded(1), .isSilent, .answer,
      ],
      ends: .cancelled,
      surplus: (2, 0),
      forwards: 1,
      reports: 1
    ),
  ]

  /// What an SDK, or the code around it, does to a call.
  private static let hostile = [
    Story(
      holds:
        "an SDK may answer inside the cancellation, on its thread, and the cancellation decides",
      meanwhile: (.inCancellation, .answer),
      steps: [.run, .cancel, .run],
      ends: .cancelled,
      unlessAsked: .delivered,
      forwards: 1
    ),
    Story(
      holds: "an answer from the deinit of the request, after a cancellation, is late",
      forms: cancellable,
      meanwhile: (.inRequestRelease, .answer),
      steps: [.run, .cancel, .run],
      ends: .cancelled,
      surplus: (1, 0),
      forwards: 1
    ),
    Story(
      holds: "a value whose deinit brings another is delivered, and the other one is reported",
      forms: withValue,
      meanwhile: (.inValueRelease, .answer),
      steps: [.run, .answer, .run],
      ends: .delivered,
      surplus: (1, 0),
      reports: 1
    ),
    Story(
      holds: "a value is withheld, and the SDK told, if onDiscard of a second one cancels the task",
      forms: withValue,
      meanwhile: (.inOnDiscard, .cancel),
      steps: [.run, .answer, .answer, .run],
      ends: .cancelled,
      unlessAsked: .delivered,
      unlessChecked: .delivered,
      surplus: (1, 0),
      reports: 1
    ),
  ]

  private static let drops = [
    Story(
      holds: "a completion that is dropped inside the call ends the wait, if it can end",
      sdk: .dropping,
      steps: [.run],
      ends: .dropped
    ),
    Story(
      holds: "a drop after a cancellation is an error only if the result is asked for",
      forms: cancellable,
      responses: all,
      steps: [.run, .cancel, .run, .drop, .run],
      ends: .cancelled,
      unlessAsked: .dropped,
      forwards: 1
    ),
    Story(
      holds: "a cancellation after a drop does not end a wait that only a value can end",
      forms: unconditional.filter(\.carriesValue),
      steps: [.run, .drop, .run, .cancel, .run],
      ends: .dropped
    ),
  ]

  @Test(arguments: (BridgeForm.withFallback + BridgeForm.unconditional).filter { !$0.isPending })
  func `a drop is reported where it happens, not when the task goes on`(form: BridgeForm) {
    let call = TestCall(form, .onDemand)
    call.run()
    call.backend.drop()
    #expect(call.watch.reports == [.completionDropped])
    #expect(call.ending == nil)
    call.run()
    #expect(call.watch.reports == [.completionDropped])
  }
}
