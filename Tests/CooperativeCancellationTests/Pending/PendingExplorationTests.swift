#if !LOCK_BUFFER && !canImport(Darwin)  // Elsewhere, a reply of unknown type has no identity to compare.

  import CooperativeCancellation
  import Testing

  /// Ids with the same hash, so that all must be compared.
  private struct CollidingID: Hashable, Sendable {
    let number: Int
    func hash(into hasher: inout Hasher) {}
  }

  /// Some calls and some answers on one registry. Everything that takes its lock once is one step, so that the search
  /// sees each order that threads can produce.
  private struct RegistryOfCallsRun: Explorable {
    enum Kind: Hashable { case given, returned }

    enum CallState: Hashable {
      case begins
      case adds(known: CallRegistry.Compared)
      case starts(CallRegistry.Started)
      case names(CallRegistry.Started, known: CallRegistry.Compared)
      case waits(CallRegistry.Place)
      /// Another one has its id, or all is closed.
      case refused
      case closed
      case cancelled
      case answered(by: Int)
    }

    enum AnswerState: Hashable {
      case begins
      case comes(known: CallRegistry.Compared, mayPark: Bool)
      /// With the calls that may claim it.
      case parked(Set<Int>)
      case delivered, refused, unclaimed
    }

    struct Cast: Hashable {
      var calls: [(kind: Kind, id: Int)]
      var answers: [Int]
      var isClosed = false
      var isFirstCancelled = false

      static func == (left: Cast, right: Cast) -> Bool { "\(left)" == "\(right)" }
      func hash(into hasher: inout Hasher) { hasher.combine("\(self)") }
    }

    enum Move { case call(Int, CallState), answer(Int, AnswerState), cancel, close }

    struct Situation: Hashable {
      let calls: [CallState]
      let answers: [AnswerState]
      let isClosed: Bool
      let isCancelled: Bool
      let gone: Set<Int>
    }

    let cast: Cast
    var registry = CallRegistry()
    var calls: [CallState]
    var answers: [AnswerState]
    var isClosed = false
    var isCancelled = false
    /// Calls that were closed while their SDK was being called.
    var gone: Set<Int> = []
    let callIDs: [any AnyID]
    let answerIDs: [any AnyID]
    var history: [Move] = []
    let waits: [Wait]
    let values: [AnyReply]

    init(_ cast: Cast) {
      self.cast = cast
      calls = cast.calls.map { _ in .begins }
      answers = cast.answers.map { _ in .begins }
      callIDs = cast.calls.map { HashedID(CollidingID(number: $0.id)) }
      answerIDs = cast.answers.map { HashedID(CollidingID(number: $0)) }
      waits = cast.calls.map { _ in Wait(response: .abandonCallback) }
      values = cast.answers.map { _ in Reply(ReplyContents<Int>(CallSite(), nil)).erased() }
    }

    var situation: Situation {
      Situation(
        calls: calls,
        answers: answers,
        isClosed: isClosed,
        isCancelled: isCancelled,
        gone: gone
      )
    }

    func next() -> [RegistryOfCallsRun] {
      var all: [RegistryOfCallsRun] = []
      func step(_ move: Move, _ happen: (inout RegistryOfCallsRun) -> Void) {
        var copy = self
        copy.history.append(move)
        happen(&copy)
        copy.check()
        all.append(copy)
      }
      for (number, call) in calls.enumerated() {
        switch call {
        case .begins, .adds, .starts, .names: step(.call(number, call)) { $0.callGoesOn(number) }
        default: break
        }
      }
      for (number, answer) in answers.enumerated() {
        switch answer {
        case .begins, .comes: step(.answer(number, answer)) { $0.answerGoesOn(number) }
        default: break
        }
      }
      if cast.isClosed, !isClosed { step(.close) { $0.close() } }
      if cast.isFirstCancelled, !isCancelled, case .waits(let place) = calls[0] {
        step(.cancel) {
          $0.isCancelled = true
          let remains = $0.registry.remove(place)
          $0.require(remains != nil, "a call that waits is there")
          $0.calls[0] = .cancelled
        }
      }
      return all
    }

    private mutating func callGoesOn(_ number: Int) {
      switch calls[number] {
      case .begins where cast.calls[number].kind == .returned:
        switch registry.begin(waits[number]) {
        case .at(let started): calls[number] = .starts(started)
        case .taken: require(false, "a call without an id takes none")
        case .closed: calls[number] = .closed
        }
      case .begins:
        add(number, known: [:])
      case .adds(let known):
        add(number, known: known)
      case .starts(let started):
        name(number, started, known: [:])
      case .names(let started, let known):
        name(number, started, known: known)
      default:
        break
      }
    }

    private mutating func add(_ number: Int, known: CallRegistry.Compared) {
      switch registry.add(waits[number], callIDs[number], known) {
      case .compare(let candidates):
        calls[number] = .adds(known: compare(callIDs[number], candidates, known))
      case .done(.at(let place)):
        require(!isClosed, "nothing is added when all is closed")
        require(holder(of: cast.calls[number].id) == nil, "no two calls wait with one id")
        calls[number] = .waits(place)
      case .done(.taken):
        require(holder(of: cast.calls[number].id) != nil, "an id is taken by a call that waits")
        calls[number] = .refused
      case .done(.closed):
        calls[number] = .closed
      }
    }

    private mutating func name(
      _ number: Int,
      _ started: CallRegistry.Started,
      known: CallRegistry.Compared
    ) {
      switch registry.name(started, callIDs[number], known) {
      case .compare(let candidates):
        calls[number] = .names(started, known: compare(callIDs[number], candidates, known))
        return
      case .done(.given):
        if gone.contains(number) {
          calls[number] = .closed
        } else {
          require(holder(of: cast.calls[number].id) == nil, "no two calls wait with one id")
          let isThere = answers.indices.contains { isParked($0, for: number) }
          require(!isThere, "an answer that is there is found")
          calls[number] = .waits(started.place)
        }
      case .done(.taken):
        require(holder(of: cast.calls[number].id) != nil, "an id is taken by a call that waits")
        calls[number] = .refused
      case .done(.answered(let call, with: let value)):
        let answer = answer(of: value)
        require(call.wait?.id == waits[number].id, "it is the call's own wait")
        require(isParked(answer, for: number), "a call claims what may be its own")
        calls[number] = .answered(by: answer)
        answers[answer] = .delivered
      }
      for unclaimed in registry.end(started) { letGo(answer(of: unclaimed)) }
      for (answer, state) in answers.enumerated() {
        if case .parked(var claimants) = state {
          claimants.remove(number)
          require(!claimants.isEmpty, "what nobody can claim any more is let go")
          answers[answer] = .parked(claimants)
        }
      }
    }

    private mutating func letGo(_ answer: Int) {
      guard case .parked(let claimants) = answers[answer] else {
        return require(false, "only what is parked is let go")
      }
      let open = claimants.filter { isStarting($0) }
      require(isClosed || open.count <= 1, "what may be claimed is kept: \(open)")
      answers[answer] = .unclaimed
    }

    private mutating func answerGoesOn(_ number: Int) {
      var known: CallRegistry.Compared = [:]
      var mayPark = false
      if case .comes(let places, let may) = answers[number] { (known, mayPark) = (places, may) }
      let parking = mayPark ? values[number] : nil
      switch registry.take(answerIDs[number], known, parking: parking) {
      case .compare(let candidates):
        let places = compare(answerIDs[number], candidates, known)
        answers[number] = .comes(known: places, mayPark: mayPark)
      case .done(.call(let remains)):
        let call = waits.firstIndex { $0.id == remains.wait?.id }
        guard let call, case .waits = calls[call] else {
          return require(false, "an answer goes to a call that waits")
        }
        require(cast.calls[call].id == cast.answers[number], "with its id")
        calls[call] = .answered(by: number)
        answers[number] = .delivered
      case .done(.parked):
        answers[number] = .parked(Set(calls.indices.filter(isStarting)))
      case .done(.noCall(let mayStillPark)):
        require(holder(of: cast.answers[number]) == nil, "a call that waits is found")
        if mayStillPark {
          require(!mayPark, "what may be parked is")
          answers[number] = .comes(known: known, mayPark: true)
        } else {
          require(isClosed || !calls.indices.contains(where: isStarting), "a call may claim it")
          answers[number] = .refused
        }
      }
    }

    private mutating func close() {
      isClosed = true
      let (ended, unclaimed) = registry.close(CancellationError())
      for remains in ended {
        guard let call = waits.firstIndex(where: { $0.id == remains.wait?.id }) else { continue }
        if isStarting(call) { gone.insert(call) } else { calls[call] = .closed }
      }
      for remains in unclaimed { answers[answer(of: remains)] = .unclaimed }
    }

    // MARK: What must hold, whatever the registry says

    private func holder(of id: Int) -> Int? {
      calls.indices.first { call in
        if case .waits = calls[call] { cast.calls[call].id == id } else { false }
      }
    }

    private func isStarting(_ call: Int) -> Bool {
      switch calls[call] {
      case .starts, .names: true
      default: false
      }
    }

    private func isParked(_ answer: Int, for call: Int) -> Bool {
      guard case .parked(let claimants) = answers[answer] else { return false }
      return claimants.contains(call) && cast.answers[answer] == cast.calls[call].id
    }

    private func answer(of remains: CallRegistry.Remains) -> Int {
      values.firstIndex { $0 === remains.answer } ?? -1
    }

    private func compare(
      _ id: any AnyID,
      _ candidates: [CallRegistry.Candidate],
      _ known: CallRegistry.Compared
    ) -> CallRegistry.Compared {
      var known = known
      for candidate in candidates {
        require(known[candidate.place] == nil, "an id is compared once")
        known[candidate.place] = id.equals(candidate.id)
      }
      return known
    }

    private func check() {
      let there = calls.indices.filter { call in
        if case .waits = calls[call] { true } else { isStarting(call) && !gone.contains(call) }
      }
      require(registry.count == there.count, "\(registry.count) calls are counted, not \(there)")
    }

    func checkEnd() {
      var rest = registry
      let (calls, unclaimed) = rest.close(CancellationError())
      require(unclaimed.isEmpty, "no answer stays parked")
      require(calls.count == registry.count, "every call can be ended")
      require(rest.count == 0, "nothing is left")
      for (number, answer) in answers.enumerated() {
        let receivers = self.calls.count { $0 == .answered(by: number) }
        require(
          receivers == (answer == .delivered ? 1 : 0),
          "an answer goes to one call or to none"
        )
      }
    }
  }

  @Suite("Every order of events: pending calls", .watchdog, .ownThread)
  struct PendingExplorationTests {
    @Test
    func `calls, answers, a cancellation and a close keep the laws in every order`() {
      var exploration = Exploration()
      for isClosed in [false, true] {
        for answers in [[1, 1], [1, 2], [2, 1]] {
          for calls in [
            [(kind: RegistryOfCallsRun.Kind.given, id: 1), (kind: .given, id: 1)],
            [(kind: .given, id: 1), (kind: .returned, id: 1)],
            [(kind: .returned, id: 1), (kind: .returned, id: 2)],
            [(kind: .returned, id: 1), (kind: .returned, id: 1)],
          ] {
            for isFirstCancelled in [false, true] {
              exploration.explore(
                RegistryOfCallsRun(
                  .init(
                    calls: calls,
                    answers: answers,
                    isClosed: isClosed,
                    isFirstCancelled: isFirstCancelled
                  )
                )
              )
            }
          }
        }
      }
      print("pending calls: \(exploration)")
      #expect(exploration.situations > 1_000)
    }
  }

#endif
