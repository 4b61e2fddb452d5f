import CancellationInternals
import CooperativeCancellation
import PendingAnswers
import Testing

/// Some calls with their waits, and some answers, on one registry. Everything that takes the registry's lock or a
/// wait's lock once is one step, so that the search sees each order that threads can produce.
private struct RegistryOfCallsRun: Explorable {
  /// `sent`: the first call, with an id that is given and an operation that is asynchronous.
  enum Kind: Hashable { case given, returned, sent }

  /// The task of an operation.
  enum Operation: Hashable {
    case runs
    case throwing, forwarding
    case over
  }

  enum CallState: Hashable {
    case begins
    /// Its SDK is being called, and will return its id.
    case starts(Int)
    case waits(Int)
    /// Its `onCancel` runs.
    case forwards(Int)
    /// Another one has its id.
    case refused
    case over
  }

  enum AnswerState: Hashable {
    case begins
    /// With the calls that may claim it.
    case parked(Set<Int>)
    /// A call took it: it is delivered or discarded.
    case taken, refused, unclaimed
  }

  struct Cast {
    var calls: [(kind: Kind, id: Int)]
    var answers: [Int]
    var isClosed = false
    /// The first call may be cancelled.
    var response: CancellationResponse?
  }

  struct Situation: Hashable {
    var calls: [CallState]
    var answers: [AnswerState]
    var isClosed = false
    var isCancelled = false
    /// Whether the cancellation came before the answer.
    var isInterrupted = false
    var hasForwarded = false
    var operation = Operation.runs
    var operationIsCancelled = false
    var sendIsInterrupted = false
    /// What each call has received and not read: `nil`, or the number of an answer.
    var words: [Int?]
  }

  let cast: Cast
  let ids: [CollidingID]
  let waits: [Wait]
  var registry = PendingCallsMachine<CollidingID>()
  var machines: [WaitMachine]
  var situation: Situation
  /// The number of the first call.
  var place: Int?
  var send = AsyncOperationMachine<Int>()
  var history: [Step] = []

  /// The answers that `close` and an operation bring.
  private let end = -1
  private let failure = -3

  init(_ cast: Cast) {
    self.cast = cast
    ids = cast.calls.map { CollidingID(number: $0.id) }
    situation = Situation(
      calls: cast.calls.map { _ in .begins },
      answers: cast.answers.map { _ in .begins },
      words: cast.calls.map { _ in nil }
    )
    waits = cast.calls.indices.map { call in
      Wait(response: call == 0 ? cast.response ?? .abandonCallback : .abandonCallback)
    }
    machines = waits.map(\.machine)
  }

  func moves(_ step: inout Steps<RegistryOfCallsRun>) {
    for (number, call) in situation.calls.enumerated() {
      switch call {
      case .begins: step("begins", number) { $0.begin(number) }
      case .starts(let place): step("has its id", number) { $0.name(number, place) }
      case .waits(let place) where !machines[number].hasNoEvent:
        step("reads", number) { $0.readEvent(number, place) }
      case .forwards(let place):
        step("has forwarded", number) {
          $0.forwarded(place)
          $0.situation.calls[number] = .waits(place)
        }
      default: break
      }
    }
    for (number, answer) in situation.answers.enumerated() where answer == .begins {
      step("answer", number) { $0.answer(number) }
    }
    if cast.isClosed, !situation.isClosed { step("close") { $0.close() } }
    if cast.calls[0].kind == .sent, let place {
      switch situation.operation {
      case .runs:
        step("operation returns") { $0.operationEnds(1) }
        step("operation throws") { $0.operationThrows(place, false) }
        if situation.operationIsCancelled {
          step("operation stops") { $0.operationThrows(place, true) }
        }
      case .throwing:
        step("operation ends") { $0.operationEnds(nil) }
      case .forwarding:
        step("operation has forwarded") {
          $0.situation.operation = .over
          $0.forwarded(place)
        }
      case .over: break
      }
    }
    if let response = cast.response, !situation.isCancelled, case .waits = situation.calls[0] {
      step("interruption") {
        $0.situation.isCancelled = true
        $0.situation.isInterrupted = $0.waits[0].machine.interrupt(response.interruption)
      }
    }
  }

  // MARK: The operation of the first call

  private mutating func operationThrows(_ place: Int, _ stops: Bool) {
    situation.operation = .throwing
    let word = stops ? WaitMachine.FinalEvent.stopped : .answered(in: carrier(ofShared: failure))
    let isWaiting = mayTake(0)
    if case .call(let wait, _) = registry.fail(ids[0], place, word) {
      require(wait.id == waits[0].id && isWaiting, "an error ends its own call")
    } else {
      require(!isWaiting, "an error ends a call that waits")
    }
  }

  private mutating func operationEnds(_ request: Int?) {
    let forwards = send.end(request)
    require(forwards == situation.sendIsInterrupted, "what was interrupted is forwarded")
    situation.operation = forwards ? .forwarding : .over
  }

  // MARK: A call

  private mutating func begin(_ number: Int) {
    let isReturned = cast.calls[number].kind == .returned
    do {
      let place =
        try isReturned
        ? registry.begin(waits[number]) : registry.add(waits[number], ids[number], CallSite())
      require(!situation.isClosed, "nothing is added when all is closed")
      require(isReturned || holder(of: ids[number]) == nil, "no two calls have one id")
      if number == 0 { self.place = place }
      situation.calls[number] = isReturned ? .starts(place) : .waits(place)
    } catch is AlreadyPendingError {
      require(!isReturned && holder(of: ids[number]) != nil, "an id is taken by a call that has it")
      situation.calls[number] = .refused
    } catch {
      require(situation.isClosed, "no call is turned away before the close")
      situation.calls[number] = .over
    }
  }

  private mutating func name(_ number: Int, _ place: Int) {
    let (name, unclaimed) = registry.name(place, ids[number])
    switch name {
    case .given:
      if situation.words[number] == nil {
        require(holder(of: ids[number]) == nil, "no two calls have one id")
        let isThere = situation.answers.indices.contains { isParked($0, for: number) }
        require(!isThere, "an answer that is there is found")
      }
      situation.calls[number] = .waits(place)
    case .taken:
      require(holder(of: ids[number]) != nil, "an id is taken by a call that has it")
      situation.calls[number] = .refused
    case .answered(let parked):
      let answer = self.answer(in: parked.answer)
      require(isParked(answer, for: number), "a call claims what may be its own")
      require(holder(of: ids[number]) == nil, "no two calls have one id")
      let effect = waits[number].accept(.answered(in: parked.answer))
      require(effect == (true, false), "it counts")
      situation.calls[number] = .waits(place)
      situation.answers[answer] = .taken
    }
    for one in unclaimed { letGo(answer(in: one.answer)) }
    for (answer, state) in situation.answers.enumerated() {
      if case .parked(var claimants) = state {
        claimants.remove(number)
        require(!claimants.isEmpty, "what no call can claim any more is let go")
        situation.answers[answer] = .parked(claimants)
      }
    }
  }

  private mutating func readEvent(_ number: Int, _ place: Int) {
    let event = waits[number].machine.next()
    if case .ended = event, number == 0 { situation.operationIsCancelled = true }
    switch event {
    case .interrupted where cast.calls[number].kind == .sent:
      switch send.interrupt() {
      case .cancelOperation:
        (situation.sendIsInterrupted, situation.operationIsCancelled) = (true, true)
      case .cancel, .nothing: situation.calls[number] = .forwards(place)
      }
    case .interrupted: situation.calls[number] = .forwards(place)
    case .ended(.answered(let answer)):
      require(self.answer(in: answer) == situation.words[number], "it is the one that it took")
      situation.calls[number] = .over
    case .ended(.interrupted): situation.calls[number] = .over
    case .ended(.dropped), nil: require(false, "nothing else ends a call")
    }
  }

  private mutating func forwarded(_ place: Int) {
    require(!situation.hasForwarded, "an interruption is forwarded once")
    let isAbandoned = cast.response?.endsAtOnce == true
    let removed = registry.leave(ids[0], place, isOver: isAbandoned)
    require(
      (removed != nil) == (isAbandoned || situation.words[0] != nil),
      "a call leaves when it has forwarded, and waits for no answer"
    )
    situation.hasForwarded = true
  }

  private func word(in machine: WaitMachine) -> Int? {
    switch machine.finalEvent {
    case .answered(let answer): self.answer(in: answer)
    case .dropped, .stopped: failure
    case nil: nil
    }
  }

  // MARK: Answers

  private mutating func answer(_ number: Int) {
    let id = CollidingID(number: cast.answers[number])
    let takers = situation.calls.indices.filter { ids[$0] == id && mayTake($0) }
    require(takers.count <= 1, "one call waits for an answer")
    switch registry.take(id, carrier(ofShared: number)) {
    case .call(let wait, let freed):
      let call = waits.firstIndex { $0.id == wait.id }
      require(call == takers.first, "an answer goes to the call that waits for it")
      require(
        (freed == nil) == (call == 0 && situation.isInterrupted && !situation.hasForwarded),
        "an id is free unless its call has still to forward"
      )
      situation.answers[number] = .taken
    case .parked:
      require(takers.isEmpty, "a call that waits is found")
      situation.answers[number] = .parked(Set(situation.calls.indices.filter(isStarting)))
    case .noCall:
      require(takers.isEmpty, "a call that waits is found")
      require(
        situation.isClosed || !situation.calls.indices.contains(where: isStarting),
        "a call may claim it"
      )
      situation.answers[number] = .refused
    }
  }

  private mutating func letGo(_ answer: Int) {
    guard case .parked(let claimants) = situation.answers[answer] else {
      return require(false, "only what is parked is let go")
    }
    let open = claimants.filter { isStarting($0) }
    require(situation.isClosed || open.isEmpty, "what may be claimed is kept: \(open)")
    situation.answers[answer] = .unclaimed
  }

  private mutating func close() {
    situation.isClosed = true
    let takers = situation.calls.indices.filter {
      isStarting($0) ? situation.words[$0] == nil : mayTake($0)
    }
    let (ended, _, unclaimed) = registry.takeAll(
      carrier(ofShared: end),
      closingWith: CancellationError()
    )
    require(
      ended.map(\.id) == takers.sorted { order(of: $0) < order(of: $1) }.map { waits[$0].id },
      "all are ended, in the order in which they began"
    )
    for one in unclaimed { situation.answers[answer(in: one.answer)] = .unclaimed }
  }

  // MARK: What must hold, whatever the registry says

  /// The call that has an id: until it has its answer and has forwarded its interruption.
  private func holder(of id: CollidingID) -> Int? {
    situation.calls.indices.first { ids[$0] == id && hasID($0) }
  }

  private func hasID(_ call: Int) -> Bool {
    // The operation of the first call may outlive it.
    call == 0 && situation.isInterrupted && !situation.hasForwarded || mayTake(call)
  }

  private func mayTake(_ call: Int) -> Bool {
    if call == 0, situation.isInterrupted, cast.response?.endsAtOnce == true { return false }
    return switch situation.calls[call] {
    case .waits, .forwards: situation.words[call] == nil
    default: false
    }
  }

  private func isStarting(_ call: Int) -> Bool {
    if case .starts = situation.calls[call] { true } else { false }
  }

  /// Its number in the registry, which counts up.
  private func order(of call: Int) -> Int {
    switch situation.calls[call] {
    case .starts(let place), .waits(let place), .forwards(let place): place
    case .begins, .refused, .over: -1
    }
  }

  private func isParked(_ answer: Int, for call: Int) -> Bool {
    guard case .parked(let claimants) = situation.answers[answer] else { return false }
    return claimants.contains(call) && cast.answers[answer] == cast.calls[call].id
  }

  private func answer(in carrier: AnyReply) -> Int { carried(by: carrier) ?? -2 }

  mutating func checkStep() {
    for (call, machine) in machines.enumerated() {
      guard let word = word(in: machine), word != situation.words[call] else { continue }
      require(situation.words[call] == nil, "no answer is replaced")
      situation.words[call] = word
    }
    let there = situation.calls.indices.filter {
      isStarting($0) ? situation.words[$0] == nil : hasID($0)
    }
    require(registry.count == there.count, "\(registry.count) calls are counted, not \(there)")
  }

  func checkEnd() {
    require(
      !situation.answers.contains { if case .parked = $0 { true } else { false } },
      "none stays parked"
    )
    for (number, answer) in situation.answers.enumerated() {
      let receivers = situation.calls.indices.count { situation.words[$0] == number }
      require(receivers == (answer == .taken ? 1 : 0), "an answer goes to one call or to none")
    }
    require(!situation.isInterrupted || situation.hasForwarded, "an interruption is forwarded")
  }
}

@Suite("Every order of events: pending calls", .watchdog, .ownThread)
struct PendingExplorationTests {
  /// Calls, and the ids of answers.
  private let casts: [(calls: [(kind: RegistryOfCallsRun.Kind, id: Int)], answers: [Int])] = [
    ([(.given, 1), (.given, 1)], [1, 1]),
    ([(.given, 1), (.returned, 1)], [1, 1]),
    ([(.given, 1), (.returned, 1)], [1, 2]),
    ([(.returned, 1), (.returned, 1)], [1, 1]),
    ([(.returned, 1), (.returned, 2)], [1, 1]),
    ([(.returned, 1), (.returned, 2)], [1, 2]),
    ([(.returned, 1), (.returned, 2)], [2, 1]),
    ([(.returned, 2), (.given, 1), (.returned, 1)], [1, 2]),
    ([(.sent, 1), (.given, 1)], [1, 1]),
    ([(.given, 1), (.returned, 1)], [1]),
    ([(.sent, 1), (.returned, 1)], [1]),
  ]

  @Test func `calls, answers, a cancellation and a close keep the guarantees in every order`() {
    var exploration = Exploration()
    // A part of those with two answers.
    let small = casts.map { ($0.calls, Array($0.answers.prefix(1))) }.filter { $0.0.count == 2 }
    for (calls, answers) in isDebug ? small : casts {
      for isClosed in [false, true] {
        for response in [nil] + CancellationResponse.allCases {
          exploration.explore(
            RegistryOfCallsRun(
              .init(calls: calls, answers: answers, isClosed: isClosed, response: response)
            )
          )
        }
      }
    }
    print("pending calls: \(exploration)")
    #expect(exploration.situations >= (isDebug ? 32_111 : 137_756))
  }
}
