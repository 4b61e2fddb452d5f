import CooperativeCancellation
import TaskBags
import Testing

/// A task as its owner requests it.
private struct Request: Hashable {
  var id: Int?
  var policy = TaskBag.TakenIDPolicy.replace
}

/// Some tasks of one registry, and an owner who cancels, closes and waits. Everything that takes
/// the bag's lock once is one step here, so that the search sees each order that threads can
/// produce.
private struct RegistryRun: Explorable {
  struct Entry: Hashable {
    enum Maker: Hashable { case begins, hasReserved, isDone }

    let request: Request
    var maker = Maker.begins
    var slot: Int?
    var hasEnded = false
    // What must hold, whatever the registry says.
    var hasID = false
    var mustBeCancelled = false
    var wasCancelled = false
    /// Those that had its id when it reserved its slot.
    var elders: Set<Int> = []
    /// Those whose end it waits for.
    var blockers: Set<Int> = []
    var beginning = Beginning.unblocked

    enum Beginning: Hashable { case unblocked, asks, waits }

    var isAlive: Bool { slot != nil && !hasEnded }
    var neverBegins: Bool { mustBeCancelled && beginning != .unblocked }
    var isRunning: Bool { isAlive && beginning == .unblocked }
  }

  enum Deed: Hashable, CaseIterable {
    case cancelID, cancelAll, close, wait, waitToo, stopWaiting
  }

  struct Situation: Hashable {
    let entries: [Entry]
    let listed: [Int]
    let freeSlots: [Int]
    let deeds: Set<Deed>
    let isClosed: Bool
    /// Not their tokens: the numbers that were used make no difference.
    let waiters: Int
  }

  var registry = BagMembersMachine<Int>()
  var entries: [Entry]
  let ids: [BagID?]
  let handles: [AnyTask]
  var freeSlots: [Int] = []
  var deeds: Set<Deed>
  var waiters: [Int] = []
  var history: [Step] = []

  init(_ requests: [Request], _ deeds: Set<Deed>) {
    entries = requests.map { Entry(request: $0) }
    ids = requests.map { request in request.id.map { BagID(CollidingID(number: $0)) } }
    handles = requests.map { _ in Task {}.erased() }
    self.deeds = deeds
  }

  /// The tasks that the registry finds by an id.
  private func found(_ id: Int) -> Set<Int> {
    let slots = registry.holders(of: BagID(CollidingID(number: id)))
    let found = slots.compactMap { slot in
      entries.firstIndex { $0.slot == slot && $0.isAlive }
    }
    require(Set(found).count == slots.count, "each once, and none that has ended")
    return Set(found)
  }

  var situation: Situation {
    Situation(
      entries: entries,
      listed: registry.holders(of: BagID(CollidingID(number: 1))),
      freeSlots: freeSlots,
      deeds: deeds,
      isClosed: registry.isClosed,
      waiters: waiters.count
    )
  }

  // MARK: What may happen next

  func moves(_ step: inout Steps<RegistryRun>) {
    for (number, entry) in entries.enumerated() {
      switch entry.maker {
      case .begins: step("reserves", number) { $0.reserve(number) }
      case .hasReserved: step("starts", number) { $0.start(number) }
      case .isDone: break
      }
      // The task may end as soon as it is made, which is before the registry hears of it.
      if entry.isRunning || entry.isAlive && entry.neverBegins {
        step("ends", number) { $0.finish(number) }
      }
      if entry.isAlive, entry.beginning == .asks { step("asks", number) { $0.ask(number) } }
    }
    for (number, deed) in Deed.allCases.enumerated() where deeds.contains(deed) {
      if deed == .stopWaiting, deeds.contains(.wait) { continue }
      step("owner", number) { $0.perform(deed) }
    }
  }

  // MARK: What a maker does

  private mutating func reserve(_ number: Int) {
    guard let id = ids[number], let name = entries[number].request.id else {
      return occupy(number, registry.reserve()?.slot)
    }
    let policy = entries[number].request.policy
    let others = policy == .runAlongside ? [] : found(name)
    let isKept = policy == .keep && others.contains { !entries[$0].mustBeCancelled }
    let reservation = registry.reserve(id, ifTaken: policy)
    occupy(number, reservation?.slot, isKept: isKept)
    guard let reservation else { return }
    entries[number].hasID = true
    entries[number].elders = others
    for other in others { mustCancel(other) }
    cancel(reservation.replaced.members)
    let blockers = policy == .replaceAtOnce ? [] : others.filter { entries[$0].blockers.isEmpty }
    entries[number].blockers = Set(blockers)
    if !blockers.isEmpty { entries[number].beginning = .asks }
    let blocker = reservation.waitsFor.flatMap { id in ids.firstIndex { $0 === id } }
    require(
      blocker.map(blockers.contains) ?? blockers.isEmpty,
      "it waits for those that may have begun"
    )
  }

  /// Its task asks whether it may begin.
  private mutating func ask(_ number: Int) {
    guard let slot = entries[number].slot else { return }
    let mayBegin = registry.waitToBegin(slot, number)
    let isFree = entries[number].blockers.isEmpty && !entries[number].mustBeCancelled
    require(mayBegin == isFree, "it begins if nothing blocks it")
    if mayBegin { begin(number) } else { entries[number].beginning = .waits }
  }

  private mutating func begin(_ number: Int) {
    entries[number].beginning = .unblocked
    require(
      entries[number].elders.allSatisfy { !entries[$0].isRunning },
      "it begins when those that it replaces have ended"
    )
  }

  private mutating func occupy(_ number: Int, _ slot: Int?, isKept: Bool = false) {
    require(
      (slot == nil) == (registry.isClosed || isKept),
      "it refuses if it is closed, or for the one that is kept"
    )
    guard let slot else {
      entries[number].maker = .isDone
      return
    }
    let isUsed = entries.contains { $0.slot == slot && ($0.isAlive || $0.maker != .isDone) }
    require(!isUsed, "a slot is given once")
    freeSlots.removeAll { $0 == slot }
    entries[number].slot = slot
    entries[number].maker = .hasReserved
  }

  private mutating func start(_ number: Int) {
    guard let slot = entries[number].slot else { return }
    entries[number].maker = .isDone
    let mustCancel = registry.start(slot, .given(handles[number]))
    if mustCancel { cancel([.given(handles[number])]) }
    if entries[number].hasEnded { freeSlots.append(slot) }
  }

  private mutating func finish(_ number: Int) {
    guard let slot = entries[number].slot else { return }
    let isWaiting = entries[number].beginning == .waits
    require(
      (registry.stopWaitingToBegin(slot) != nil) == isWaiting,
      "one that never begins waits until it is cancelled"
    )
    let released = registry.finish(slot)
    let hasStarted = entries[number].maker == .isDone
    entries[number].hasEnded = true
    require(
      (released.member == nil) != hasStarted,
      "a task that was there is handed out for release"
    )
    require(released.id === ids[number], "and so is its id")
    let wasFound = entries[number].hasID
    entries[number].hasID = false
    let isLastOfID = wasFound && found(entries[number].request.id ?? 0).isEmpty
    require((released.key != nil) == isLastOfID, "and the key, with the last one")
    if hasStarted { freeSlots.append(slot) }
    let isLast = !entries.contains { $0.isAlive }
    var begun = 0
    for other in entries.indices where entries[other].blockers.remove(number) != nil {
      guard entries[other].blockers.isEmpty, entries[other].beginning == .waits,
        !entries[other].mustBeCancelled
      else { continue }
      begin(other)
      begun += 1
    }
    require(
      released.waiters.count == begun + (isLast ? waiters.count : 0),
      "the next one begins, and all waiters learn of the last end"
    )
    if isLast { waiters = [] }
  }

  // MARK: What the owner does

  private mutating func perform(_ deed: Deed) {
    deeds.remove(deed)
    switch deed {
    case .cancelID:
      let holders = found(1).filter { !entries[$0].mustBeCancelled }
      for holder in holders { mustCancel(holder) }
      let members = registry.cancel(BagID(CollidingID(number: 1)))
      require((members == nil) == holders.isEmpty, "it says whether there was one to cancel")
      cancel(members?.members ?? [])
    case .cancelAll:
      let members = registry.cancelAll()
      for number in entries.indices where entries[number].isAlive { mustCancel(number) }
      cancel(members)
    case .close:
      registry.isClosed = true
    case .wait, .waitToo:
      let token = registry.wait(0)
      require((token == nil) == !entries.contains { $0.isAlive }, "it waits if there is a task")
      if let token { waiters.append(token) }
    case .stopWaiting:
      guard let waiter = waiters.first else { return }
      require(registry.stopWaiting(waiter) != nil, "a waiter is given back")
      waiters.removeFirst()
    }
  }

  /// A task that is cancelled while it is blocked never begins, and is not found any more.
  private mutating func mustCancel(_ number: Int) {
    if !entries[number].mustBeCancelled, !entries[number].blockers.isEmpty {
      entries[number].hasID = false
    }
    entries[number].mustBeCancelled = true
  }

  private mutating func cancel(_ members: [Member]) {
    for member in members {
      guard case .given(let handle) = member, let number = handles.firstIndex(of: handle) else {
        return require(false, "an unknown task")
      }
      require(
        entries[number].mustBeCancelled && entries[number].isAlive,
        "\(number) is cancelled in error"
      )
      entries[number].wasCancelled = true
    }
  }

  func checkStep() {
    require(
      registry.count == entries.count { $0.isAlive },
      "the count is that of the tasks that have not ended"
    )
    for id in [1, 2] {
      let held = entries.indices.filter { entries[$0].hasID && entries[$0].request.id == id }
      require(found(id) == Set(held), "exactly the ids that are held are found")
    }
    for (number, entry) in entries.enumerated() where entry.maker == .isDone && entry.isAlive {
      require(entry.mustBeCancelled == entry.wasCancelled, "\(number) is cancelled if it must be")
    }
  }

  func checkEnd() {
    require(
      registry.count == 0 && found(1).isEmpty && found(2).isEmpty && waiters.isEmpty,
      "nothing is left"
    )
  }
}

@Suite("Every order of events: the bag's registry", .watchdog, .ownThread)
struct RegistryExplorationTests {
  private static let a = Request(id: 1)
  private static let kinds = [
    Request(), a, Request(id: 1, policy: .keep), Request(id: 1, policy: .runAlongside),
    Request(id: 1, policy: .replaceAtOnce), Request(id: 2),
  ]

  @Test func `every order of two tasks and an owner keeps the registry's guarantees`() {
    let deeds: Set = isDebug ? [.cancelID, .close] : Set(RegistryRun.Deed.allCases)
    let known = isDebug ? 9_809 : 276_476
    var exploration = Exploration()
    for (number, first) in Self.kinds.enumerated() {
      for second in Self.kinds[number...] {
        exploration.explore(RegistryRun([first, second], deeds))
      }
    }
    print("two tasks of a bag: \(exploration)")
    #expect(exploration.situations >= known)
  }

  @Test(.disabled(if: isDebug, "takes long"))
  func `every order of three tasks and an owner who cancels by id keeps its guarantees`() {
    var exploration = Exploration()
    for (number, second) in Self.kinds.enumerated() {
      for third in Self.kinds[number...] {
        exploration.explore(RegistryRun([Self.a, second, third], [.cancelID]))
      }
    }
    print("three tasks of a bag: \(exploration)")
    #expect(exploration.situations >= 256_976)
  }
}
