import CooperativeCancellation
import Testing

/// The corners of the contract in which a timeout takes part, and the order of events in general.
@Suite("WaitMachine", .watchdog)
struct WaitMachineTests {
  enum Step {
    case cancel
    case timeout
    case answer
    case drop
    case next
  }

  /// What the machine says to each step.
  private func run(_ response: CancellationResponse, _ steps: Step...) -> [String] {
    var machine = WaitMachine<Int>(response: response)
    return steps.map { step in
      switch step {
      case .cancel: return machine.interrupt(.cancelled) ? "counts" : "ignored"
      case .timeout: return machine.interrupt(.timedOut) ? "counts" : "ignored"
      case .answer: return machine.answer(1) ? "counts" : "refused"
      case .drop: return machine.drop() ? "counts" : "refused"
      case .next:
        let maySleep = machine.hasNoEvent
        let event = machine.next()
        #expect(maySleep == (event == nil), "hasNoEvent says what next() says")
        switch event {
        case nil: return "sleep"
        case .interrupted(.cancelled): return "cancelled"
        case .interrupted(.timedOut): return "timed out"
        case .answered: return "answered"
        case .dropped: return "dropped"
        }
      }
    }
  }

  @Test(arguments: CancellationResponse.allCases)
  func `the first of cancel and timeout names the error, and there is one interruption`(
    response: CancellationResponse
  ) {
    #expect(
      run(response, .next, .cancel, .timeout, .next, .timeout, .cancel, .next)
        == ["sleep", "counts", "ignored", "cancelled", "ignored", "ignored", "sleep"]
    )
    #expect(
      run(response, .next, .timeout, .cancel, .next, .cancel, .timeout, .next)
        == ["sleep", "counts", "ignored", "timed out", "ignored", "ignored", "sleep"]
    )
  }

  @Test
  func `abandonCallback refuses what comes after an interruption`() {
    #expect(
      run(.abandonCallback, .cancel, .answer, .next) == ["counts", "refused", "cancelled"]
    )
    #expect(
      run(.abandonCallback, .timeout, .next, .answer) == ["counts", "timed out", "refused"]
    )
    #expect(
      run(.abandonCallback, .cancel, .drop, .next, .next)
        == ["counts", "refused", "cancelled", "sleep"]
    )
  }

  @Test(arguments: [CancellationResponse.waitForCallback, .deliverResult])
  func `the other responses let the task read the interruption and then the answer`(
    response: CancellationResponse
  ) {
    #expect(
      run(response, .timeout, .answer, .next, .next)
        == ["counts", "counts", "timed out", "answered"]
    )
    #expect(
      run(response, .timeout, .next, .next, .answer, .next)
        == ["counts", "timed out", "sleep", "counts", "answered"]
    )
    #expect(
      run(response, .cancel, .next, .drop, .next) == ["counts", "cancelled", "counts", "dropped"]
    )
  }

  @Test(arguments: CancellationResponse.allCases)
  func `an interruption after the answer changes nothing`(response: CancellationResponse) {
    #expect(
      run(response, .answer, .cancel, .timeout, .next)
        == ["counts", "ignored", "ignored", "answered"]
    )
    #expect(run(response, .drop, .timeout, .next) == ["counts", "ignored", "dropped"])
  }
}
