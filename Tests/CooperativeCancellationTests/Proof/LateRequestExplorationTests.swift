import CooperativeCancellation
import Testing

/// A wait that may forward a cancellation before it ends, and an SDK that hands requests over, each on a
/// thread of its own. Everything that takes the lock once is one step.
private struct LateRequestRun: Explorable {
  enum WaitStep: Hashable { case waits, applies([Int]), ends, isOver }

  enum RequestStep: Hashable { case isToCome, meetsCancellation, isDone }

  struct Situation: Hashable {
    var wait = WaitStep.waits
    var requests: [RequestStep]
    var wasForwarded = false
    /// Those that were cancelled; those that the machine kept; and those that the wait gave back, to be released.
    var cancelled: Set<Int> = []
    var kept: Set<Int> = []
    var released: Set<Int> = []
  }

  let isCancelled: Bool
  var situation: Situation
  var history: [Step] = []
  private var machine = ArrivalsMachine<Int>()

  init(requests: Int, isCancelled: Bool) {
    self.isCancelled = isCancelled
    situation = Situation(requests: Array(repeating: .isToCome, count: requests))
  }

  func moves(_ step: inout Steps<LateRequestRun>) {
    switch situation.wait {
    case .waits where isCancelled:
      step("forwards") {
        $0.situation.wasForwarded = true
        $0.situation.wait = .applies($0.machine.stop(cancelling: true))
      }
    case .applies(let requests) where !requests.isEmpty:
      step("applies") {
        $0.cancel(requests[0])
        $0.situation.wait = .applies(Array(requests.dropFirst()))
      }
    case .waits, .applies:
      step("goes on") { $0.situation.wait = .ends }
    case .ends:
      step("ends") {
        $0.situation.released = Set($0.machine.stop(cancelling: false))
        $0.situation.wait = .isOver
      }
    case .isOver: break
    }
    for (number, request) in situation.requests.enumerated() {
      switch request {
      case .isToCome: step("request", number) { $0.arrive(number) }
      case .meetsCancellation:
        step("cancels", number) {
          $0.cancel(number)
          $0.situation.requests[number] = .isDone
        }
      case .isDone: break
      }
    }
  }

  private mutating func arrive(_ number: Int) {
    var request: Int? = number
    let meets = machine.arrive(&request)
    require(meets == situation.wasForwarded, "it meets the cancellation that was forwarded")
    if !meets, situation.wait != .isOver { situation.kept.insert(number) }
    situation.requests[number] = meets ? .meetsCancellation : .isDone
  }

  private mutating func cancel(_ number: Int) {
    require(situation.cancelled.insert(number).inserted, "each request is cancelled once")
    situation.kept.remove(number)
  }

  func checkEnd() {
    require(
      situation.cancelled == (isCancelled ? Set(situation.requests.indices) : []),
      "each request is cancelled if the wait was"
    )
    require(
      situation.kept == situation.released,
      "what was not cancelled is released with the wait"
    )
  }
}

@Suite("Every order of events: requests in callbacks", .watchdog, .ownThread)
struct LateRequestExplorationTests {
  @Test
  func `every order of requests, a cancellation and the end of the wait cancels each request once`()
  {
    var exploration = Exploration()
    for requests in 0...4 {
      for isCancelled in [false, true] {
        exploration.explore(LateRequestRun(requests: requests, isCancelled: isCancelled))
      }
    }
    print("requests in callbacks: \(exploration)")
    #expect(exploration.situations >= 797)
  }
}
