import CooperativeCancellation
import Testing

/// The edge cases of the contract in which a timeout takes part, and the order of events in general.
@Suite("WaitMachine", .watchdog)
struct WaitMachineTests {
  enum Step {
    case cancel
    case timeout
    case answer
    case drop
    case stop
    case operationThrew
    case next
  }

  private let reply = carrier(of: 0)

  /// What the machine says to each step.
  private func run(_ response: CancellationResponse, _ steps: Step...) -> [String] {
    var machine = WaitMachine(response: response)
    return steps.enumerated().map { index, step in
      switch step {
      case .cancel: return machine.interrupt(.cancelled) ? "counts" : "ignored"
      case .timeout: return machine.interrupt(.timedOut) ? "counts" : "ignored"
      case .answer: return "\(machine.receive(.answered(in: reply)))"
      case .drop:
        let isInterrupted = steps[..<index].contains { $0 == .cancel || $0 == .timeout }
        #expect(machine.tellsOfDrop == (!isInterrupted || response == .deliverResult))
        return "\(machine.receive(.dropped))"
      case .stop: return "\(machine.receive(.stopped))"
      case .operationThrew:
        return if case .some = machine.operationThrew() { "discard" } else { "nothing" }
      case .next:
        let maySleep = machine.hasNoEvent
        let event = machine.next()
        #expect(maySleep == (event == nil), "hasNoEvent says what next() says")
        switch event {
        case nil: return "sleep"
        case .interrupted: return "forward"
        case .ended(.answered): return "answered"
        case .ended(.dropped): return "dropped"
        case .ended(.interrupted(.cancelled, discarding: nil)): return "cancelled"
        case .ended(.interrupted(.timedOut, discarding: nil)): return "timed out"
        case .ended(.interrupted(.cancelled, discarding: _?)): return "cancelled, discard"
        case .ended(.interrupted(.timedOut, discarding: _?)): return "timed out, discard"
        }
      }
    }
  }

  @Test(arguments: CancellationResponse.heeding)
  func `the first of cancellation and timeout counts, and there is one interruption`(
    response: CancellationResponse
  ) {
    for (first, second) in [(Step.cancel, Step.timeout), (.timeout, .cancel)] {
      #expect(
        run(response, .next, first, second, .next, second, first)
          == ["sleep", "counts", "ignored", "forward", "ignored", "ignored"]
      )
    }
  }

  @Test
  func `abandonCallback ends with the interruption and refuses what comes after it`() {
    #expect(
      run(.abandonCallback, .cancel, .answer, .next, .next)
        == ["counts", "refused", "forward", "cancelled"]
    )
    #expect(
      run(.abandonCallback, .timeout, .next, .drop, .next)
        == ["counts", "forward", "refused", "timed out"]
    )
  }

  @Test
  func `waitForCallback ends with the interruption once the SDK has answered`() {
    #expect(
      run(.waitForCallback, .timeout, .next, .next, .answer, .next)
        == ["counts", "forward", "sleep", "countsAfterInterruption", "timed out, discard"]
    )
    #expect(
      run(.waitForCallback, .cancel, .drop, .next, .next)
        == ["counts", "countsAfterInterruption", "forward", "cancelled"]
    )
  }

  @Test
  func `deliverResult ends with the SDK's answer, even after an interruption`() {
    #expect(
      run(.deliverResult, .timeout, .answer, .next, .next)
        == ["counts", "countsAfterInterruption", "forward", "answered"]
    )
    #expect(
      run(.deliverResult, .cancel, .next, .next, .drop, .next)
        == ["counts", "forward", "sleep", "countsAfterInterruption", "dropped"]
    )
  }

  @Test(arguments: [CancellationResponse.waitForCallback, .deliverResult])
  func `an operation that stops ends with the interruption`(response: CancellationResponse) {
    #expect(
      run(response, .timeout, .next, .cancel, .stop, .next)
        == ["counts", "forward", "ignored", "countsAfterInterruption", "timed out"]
    )
    #expect(run(response, .stop, .next) == ["counts", "cancelled"])
  }

  @Test(arguments: CancellationResponse.allCases)
  func `an interruption after the answer changes nothing`(response: CancellationResponse) {
    #expect(
      run(response, .answer, .cancel, .timeout, .next)
        == ["counts", "ignored", "ignored", "answered"]
    )
    #expect(run(response, .drop, .timeout, .next) == ["counts", "ignored", "dropped"])
  }

  @Test(arguments: CancellationResponse.allCases)
  func `when the SDK was not called, an earlier answer is discarded and a later one refused`(
    response: CancellationResponse
  ) {
    #expect(run(response, .answer, .operationThrew, .answer) == ["counts", "discard", "refused"])
    #expect(run(response, .operationThrew, .answer) == ["nothing", "refused"])
  }
}
