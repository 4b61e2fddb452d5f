import CooperativeCancellation
import Testing

/// Some calls with a timeout, the alarm, and its thread. What takes the lock of the deadlines once
/// is one step here.
private struct DeadlineRun: Explorable {
  enum Call: Hashable { case isToCome, waits(until: Int), isOver }

  struct Situation: Hashable {
    var calls: [Call]
    var timedOut: Set<Int> = []
    var now = 0
    /// When the alarm rings. It rings once for each setting.
    var alarm: Int?
    var isRinging = false
    var earlyRings = 0
    /// All that changed the queue: how its heap lies follows from that.
    var told: [Int] = []
  }

  let timeouts: [Int]
  let waits: [Wait]
  var queue = DeadlinesMachine()
  var tickets: [DeadlinesMachine.Ticket?]
  var situation: Situation
  var history: [Step] = []

  init(timeouts: [Int]) {
    self.timeouts = timeouts
    waits = timeouts.map { _ in Wait(response: .abandonCallback) }
    tickets = timeouts.map { _ in nil }
    situation = Situation(calls: timeouts.map { _ in .isToCome })
  }

  func moves(_ step: inout Steps<DeadlineRun>) {
    for number in situation.calls.indices {
      switch situation.calls[number] {
      case .isToCome: step("begins", number) { $0.begin(number) }
      case .waits: step("ends", number) { $0.end(number) }
      case .isOver: break
      }
    }
    if situation.now < 3 { step("time passes") { $0.situation.now += 1 } }
    if let alarm = situation.alarm {
      let isEarly = alarm > situation.now
      if !isEarly || situation.earlyRings < 1 {
        step("alarm rings") {
          $0.situation.alarm = nil
          $0.situation.isRinging = true
          if isEarly { $0.situation.earlyRings += 1 }
        }
      }
    }
    if situation.isRinging { step("takes due") { $0.takeDue() } }
  }

  private mutating func begin(_ number: Int) {
    let end = situation.now + timeouts[number]
    let (ticket, alarm) = queue.add(waits[number], until: moment(end))
    tickets[number] = ticket
    setAlarm(alarm)
    situation.calls[number] = .waits(until: end)
    situation.told.append(number)
  }

  /// For any reason: the call was answered, cancelled, or timed out before.
  private mutating func end(_ number: Int) {
    guard let ticket = tickets[number] else { return }
    let removed = queue.remove(waits[number], by: ticket)
    require(
      removed?.id == (situation.timedOut.contains(number) ? nil : waits[number].id),
      "a wait is removed if it has not timed out, and no other is"
    )
    situation.calls[number] = .isOver
    situation.told.append(-1 - number)
  }

  private mutating func takeDue() {
    let (due, alarm) = queue.takeDue(at: moment(situation.now), atMost: 2)
    for wait in due {
      let number = waits.firstIndex { $0.id == wait.id } ?? -1
      if case .waits(let end) = situation.calls[number] {
        require(end <= situation.now, "no timeout comes early")
      } else {
        require(false, "a wait that has ended does not time out")
      }
      require(situation.timedOut.insert(number).inserted, "a wait times out once")
      situation.told.append(100 + number)
    }
    if due.isEmpty {
      situation.isRinging = false
      setAlarm(alarm)
      require(!waiting.contains { $0 <= situation.now }, "every wait that is due is taken")
      require(
        alarm.map { [$0] } == waiting.min().map { [moment($0)] },
        "the next ring is for the next wait"
      )
    } else {
      require(alarm == nil, "the alarm is set after the last portion")
    }
  }

  private mutating func setAlarm(_ moment: Moment?) {
    guard let moment else { return }
    let time = (0...6).first { self.moment($0) == moment }
    require(time != nil, "the alarm is set for a deadline")
    situation.alarm = time
  }

  private func moment(_ time: Int) -> Moment { Moment(nanoseconds: Int64(time)) }

  private var waiting: [Int] {
    situation.calls.indices.compactMap { number in
      if case .waits(let end) = situation.calls[number], !situation.timedOut.contains(number) {
        end
      } else {
        nil
      }
    }
  }

  func checkStep() {
    guard let first = waiting.min(), !situation.isRinging else { return }
    require(
      situation.alarm.map { $0 <= first } ?? false,
      "the alarm rings no later than the next wait is due"
    )
  }

  func checkEnd() {
    require(waiting.isEmpty, "every wait ends")
    require(queue.count == 0, "nothing is left")
  }
}

@Suite("Every order of events: deadlines", .watchdog, .ownThread) struct DeadlineExplorationTests {
  private static let timeouts = [
    [1, 1], [2, 0],
    [1, 1, 1], [0, 1, 2], [2, 1, 0], [2, 2, 1], [3, 1, 1], [1, 3, 2],
  ]

  @Test
  func `every order of calls, their ends, time and the alarm keeps what a timeout promises`() {
    var exploration = Exploration()
    for timeouts in Self.timeouts.prefix(isDebug ? 2 : 8) {
      exploration.explore(DeadlineRun(timeouts: timeouts))
    }
    print("deadlines: \(exploration)")
    #expect(exploration.situations >= (isDebug ? 5_621 : 747_157))
  }
}
