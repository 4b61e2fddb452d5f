import CooperativeCancellation
import FakeCallbackSDK
import Testing

@Suite("The start of a call")
struct StartTests {
  @Test
  func `an answer that comes while the wait is set up is taken`() {
    let completion = Protected<Reply<Int>?>(nil)
    let started = start(
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
}
