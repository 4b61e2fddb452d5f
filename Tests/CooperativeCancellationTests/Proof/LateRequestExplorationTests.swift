import CooperativeCancellation
import Testing

/// A wait that may forward a cancellation before it ends, and an SDK that hands requests over, each on a
/// thread of its own. Everything that takes the lock once is one step.
private struct LateRequestRun: Explorable {
  enum WaitStep: Hashable {
    case waits
    case applies([Int])
    case ends
    case isOver
  }

  enum RequestStep: Hashable { case isToCome, isCancelled, isDone }

  enum Move { case wait(WaitStep), request(Int, RequestStep) }

  struct Situation: Hashable {
    var wait = WaitStep.waits
    var requests: [RequestStep]
    var wasForwarded = false
    var timesCancelled: [Int]
    /// The requests that the machine kept, and those that the wait gave back to be released.
    var kept: Set<Int> = []
    var released: Set<Int> = []
  }

  let isCancelled: Bool
  var situation: Situation
  var history: [Move] = []
  private var machine = LateRequestMachine<Int>()

  init(requests: Int, isCancelled: Bool) {
    self.isCancelled = isCancelled
    situation = Situation(
      requests: Array(repeating: .isToCome, count: requests),
      timesCancelled: Array(repeating: 0, count: requests)
    )
  }

  func moves(_ step: (Move, (inout LateRequestRun) -> Void) -> Void) {
    if situation.wait != .isOver { step(.wait(situation.wait)) { $0.waitGoesOn() } }
    for (number, request) in situation.requests.enumerated() where request != .isDone {
      step(.request(number, request)) { $0.requestGoesOn(number) }
    }
  }

  private mutating func waitGoesOn() {
    switch situation.wait {
    case .waits where isCancelled:
      situation.wasForwarded = true
      situation.wait = .applies(machine.cancel())
    case .waits:
      situation.wait = .ends
    case .applies(let requests):
      if let first = requests.first { cancel(first) }
      situation.wait = requests.isEmpty ? .ends : .applies(Array(requests.dropFirst()))
    case .ends:
      situation.released = Set(machine.end())
      situation.wait = .isOver
    case .isOver:
      break
    }
  }

  private mutating func requestGoesOn(_ number: Int) {
    switch situation.requests[number] {
    case .isToCome:
      let meets = machine.arrive(number)
      require(meets == situation.wasForwarded, "it meets the cancellation that was forwarded")
      if !meets, situation.wait != .isOver { situation.kept.insert(number) }
      situation.requests[number] = meets ? .isCancelled : .isDone
    case .isCancelled:
      cancel(number)
      situation.requests[number] = .isDone
    case .isDone:
      break
    }
  }

  private mutating func cancel(_ number: Int) {
    situation.timesCancelled[number] += 1
    require(situation.timesCancelled[number] == 1, "each request is cancelled once")
    situation.kept.remove(number)
  }

  func checkEnd() {
    for times in situation.timesCancelled {
      require(times == (isCancelled ? 1 : 0), "each request is cancelled if the wait was")
    }
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
