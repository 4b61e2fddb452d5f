import CooperativeCancellation
import Testing

@Suite("Every order of events: a bridged call", .watchdog, .ownThread)
struct BridgeExplorationTests {
  /// What the SDK may do with the completion: never call it, or up to three times.
  private static let calls: [[BridgeRun.CallResult]] = [
    [], [.success], [.failure], [.success, .success], [.success, .failure],
    [.failure, .success], [.success, .success, .success],
  ]

  @Test
  func `every order of calls, a release, a cancellation and a timeout keeps the contract`() {
    var exploration = Exploration()
    for checks in [true, false] {
      for response in CancellationResponse.allCases {
        for calls in Self.calls.prefix(isDebug ? 2 : 7) {
          for parties in 0..<8 {
            let cast = BridgeRun.Cast(
              checks: checks,
              response: response,
              calls: calls,
              isReleased: parties & 1 != 0,
              isCancelled: parties & 2 != 0,
              timesOut: parties & 4 != 0
            )
            exploration.explore(BridgeRun(cast))
          }
        }
      }
    }
    print("a bridged call: \(exploration)")
    #expect(exploration.situations >= (isDebug ? 49_312 : 2_907_146))
  }
}
