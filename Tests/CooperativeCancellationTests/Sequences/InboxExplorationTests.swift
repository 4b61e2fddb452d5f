import CallbackSequences
import CooperativeCancellation
import Testing

@Suite("Every order of events: a subscription", .watchdog, .ownThread)
struct InboxExplorationTests {
  private static let policies = [BufferingPolicy.newest(1), .oldest(1), .newest(2), .unbounded]

  @Test
  func `every order of elements, end, cancellation and a leaving reader keeps the contract`() {
    var exploration = Exploration()
    for policy in Self.policies.prefix(isDebug ? 1 : 4) {
      for elements in 0...2 {
        for parties in 0..<8 {
          let cast = InboxRun.Cast(
            policy: policy,
            elements: elements,
            ends: parties & 1 != 0,
            isCancelled: parties & 2 != 0,
            limit: parties & 4 != 0 ? 1 : nil
          )
          exploration.explore(InboxRun(cast))
        }
      }
    }
    print("a subscription: \(exploration)")
    #expect(exploration.situations >= (isDebug ? 142_304 : 576_800))
  }
}
