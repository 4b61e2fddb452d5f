import CooperativeCancellation
import FakeCallbackSDK
import PendingAnswers
import Testing

@Suite("The start of a call")
struct StartTests {
  @Test
  func `an answer that comes while the wait is set up is taken`() {
    let completion = Protected<Reply<Int>?>(nil)
    let started = StartedCall.start(
      Reply(CallSite(), nil),
      makeWait: {
        completion.withLock { $0 }?.answer(1)
        return Wait(response: .abandonCallback)
      }(),
      in: { reply in completion.withLock { $0 = reply } }
    )
    guard case .finished(1) = started else {
      Issue.record("the call waits for an answer that was given")
      return
    }
  }

  @Test(arguments: CancellationResponse.allCases)
  func `when operation has thrown, an earlier answer is handed back and a later one refused`(
    response: CancellationResponse
  ) {
    var (answered, silent) = (WaitMachine(response: response), WaitMachine(response: response))
    _ = answered.receive(.answered(in: carrier(of: 1)))
    #expect(answered.operationThrew() != nil)
    #expect(silent.operationThrew() == nil)
    let counts = silent.receive(.answered(in: carrier(of: 1)))
    #expect(!counts)
  }
}
