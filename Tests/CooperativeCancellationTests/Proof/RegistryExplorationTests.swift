import CooperativeCancellation
import Testing

/// A task as its owner requests it.
private struct Request: Hashable {
  var id: Int?
  var policy = TaskBag.TakenIDPolicy.replace
}

/// Some tasks of one registry, and an owner who cancels, closes and waits. Everything that takes the bag's lock once is
/// one step here, so that the search sees each order that threads can produce.
private struct RegistryRun: Explorable {
  struct Entry: Hashable {
    enum Maker: Hashable { case begins, hasReserved, hasSettled, isDone }

    let request: Request
    var maker = Maker.begins
    var slot: Int?
    var wasWithdrawn = false
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

    var isAlive: Bool { slot != nil && !hasEnded && !wasWithdrawn }
    var neverBegins: Bool { mustBeCancelled && beginning != .unblocked }
    var isRunning: Bool { isAlive && maker != .hasReserved && beginning == .unblocked }
  }

  enum Deed: Hashable, CaseIterable {
    case look, cancelID, cancelAll, close, wait, waitToo, stopWaiting
  }

  struct Situation: Hashable {
    let entries: [Entry]
    let seen: [[Int]]
    let listed: [Int]
    let freeSlots: [Int]
    let deeds: Set<Deed>
    let isClosed: Bool
    /// Not their tokens: the numbers that were used make no difference.
    let waiters: Int
  }

  var registry = TaskRegistry()
  var entries: [Entry]
  let ids: [(any AnyID)?]
  let handles: [AnyTask]
  /// The tasks that each maker knows of; the last entry is what the owner saw.
  var seen: [[IDHolder]]
  var freeSlots: [Int] = []
  var deeds: Set<Deed>
  var waiters: [Int] = []
  var history: [Step] = []

  init(_ requests: [Request], _ deeds: Set<Deed>) {
    entries = requests.map { Entry(request: $0) }
    ids = requests.map { request in request.id.map { HashedID(CollidingID(number: $0)) } }
    handles = requests.map { _ in Task {}.erased() }
    seen = Array(repeating: [], count: requests.count + 1)
    self.deeds = deeds
  }

  private func numbers(_ some: [IDHolder]) -> [Int] {
    some.map { holder in ids.firstIndex { $0 === holder.id } ?? -1 }
  }

  private var listed: [Int] { numbers(holders()) }

  private func holders(cancelledToo: Bool = false) -> [IDHolder] {
    registry.holders(ofHash: CollidingID(number: 0).hashValue, cancelledToo: cancelledToo)
  }

  var situation: Situation {
    Situation(
      entries: entries,
      seen: seen.map(numbers),
      listed: listed,
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
      case .hasReserved: step("settles", number) { $0.settle(number) }
      case .hasSettled: step("starts", number) { $0.start(number) }
      case .isDone: break
      }
      // The task may end as soon as it is made, which is before the registry hears of it.
      if entry.isRunning || entry.isAlive && entry.neverBegins {
        step("ends", number) { $0.finish(number) }
      }
      if entry.isAlive, entry.beginning == .asks { step("asks", number) { $0.ask(number) } }
    }
    for (number, deed) in Deed.allCases.enumerated() where deeds.contains(deed) {
      if deed == .cancelID, deeds.contains(.look) { continue }
      if deed == .stopWaiting, deeds.contains(.wait) { continue }
      step("owner", number) { $0.perform(deed) }
    }
  }

  // MARK: What a maker does

  private mutating func reserve(_ number: Int) {
    guard let id = ids[number] else {
      occupy(number, registry.reserve())
      if entries[number].maker == .hasReserved { entries[number].maker = .hasSettled }
      return
    }
    let isBeside = entries[number].request.policy == .runAlongside
    let before = isBeside ? [] : numbers(holders(cancelledToo: true))
    let reservation = registry.reserve(id: id, besideOthers: isBeside)
    occupy(number, reservation?.slot)
    guard let (_, others) = reservation else { return }
    require(numbers(others) == before, "it finds those who were there before")
    entries[number].elders = Set(
      before.filter { entries[$0].request.id == entries[number].request.id }
    )
    entries[number].hasID = true
    if isBeside {
      entries[number].maker = .hasSettled
    } else {
      seen[number] = others
    }
  }

  /// Whether one of the tasks that a maker saw has its id.
  private func isTaken(_ number: Int) -> Bool {
    numbers(seen[number]).contains { other in
      entries[other].hasID && entries[other].request.id == entries[number].request.id
    }
  }

  /// Its maker has compared the others.
  private mutating func settle(_ number: Int) {
    guard let id = ids[number], let slot = entries[number].slot else { return }
    let equal = seen[number].filter { $0.id.equals(id) }
    let (isTaken, policy) = (isTaken(number), entries[number].request.policy)
    let others = numbers(equal).filter { entries[$0].isAlive }
    entries[number].maker = .hasSettled
    if policy != .keep { for other in others where entries[other].hasID { endLease(other) } }
    let settlement =
      equal.isEmpty
      ? .reserved(cancelling: [], waitsFor: nil)
      : registry.settle(
        slot,
        against: equal,
        keeps: policy == .keep,
        waits: policy != .replaceAtOnce
      )
    switch settlement {
    case .withdrawn:
      require(policy == .keep && isTaken, "it is not made only if another one is kept")
      entries[number].maker = .isDone
      entries[number].wasWithdrawn = true
      entries[number].hasID = false
      freeSlots.append(slot)
    case .reserved(let members, let blocker):
      require(policy != .keep || !isTaken, "it is not made if another one is kept")
      cancel(members)
      require(!self.isTaken(number), "it has its id alone, but for those who came later")
      let blockers = policy == .replaceAtOnce ? [] : others.filter { entries[$0].blockers.isEmpty }
      require((blocker == nil) == blockers.isEmpty, "it waits for those that may have begun")
      if !entries[number].mustBeCancelled { entries[number].blockers = Set(blockers) }
      if blocker != nil { entries[number].beginning = .asks }
    }
    seen[number] = []
  }

  /// Its task asks whether it may begin.
  private mutating func ask(_ number: Int) {
    guard let slot = entries[number].slot else { return }
    let mayBegin = registry.waitToBegin(slot, TaskRegistry.EndHandler { _ in })
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

  private mutating func occupy(_ number: Int, _ slot: Int?) {
    require((slot == nil) == registry.isClosed, "only a closed registry refuses")
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
    require((released.id != nil) == (ids[number] != nil), "and so is its id")
    if let id = released.id { require(id === ids[number], "its own") }
    entries[number].hasID = false
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
      released.endHandlers.count == begun + (isLast ? waiters.count : 0),
      "the next one begins, and all waiters learn of the last end"
    )
    if isLast { waiters = [] }
  }

  // MARK: What the owner does

  private mutating func perform(_ deed: Deed) {
    deeds.remove(deed)
    switch deed {
    case .look:
      let wanted = HashedID(CollidingID(number: 1))
      let found = registry.holders(ofHash: wanted.hash).filter { $0.id.equals(wanted) }
      seen[entries.count] = found
      let isThere = entries.contains { $0.hasID && $0.request.id == 1 }
      require(found.isEmpty == !isThere, "it says that there is none only if there is none")
      if found.isEmpty { deeds.remove(.cancelID) }
    case .cancelID:
      let holders = numbers(seen[entries.count]).filter { entries[$0].hasID }
      for holder in holders { endLease(holder) }
      let members = registry.cancel(seen[entries.count])
      require((members == nil) == holders.isEmpty, "it says whether they are still there")
      cancel(members ?? [])
      if members == nil { deeds.formUnion([.look, .cancelID]) }
    case .cancelAll:
      let members = registry.cancelAll()
      for number in entries.indices where entries[number].isAlive { endLease(number) }
      cancel(members)
    case .close:
      registry.close()
      require(registry.isClosed, "isClosed")
    case .wait, .waitToo:
      let token = registry.wait(TaskRegistry.EndHandler { _ in })
      require((token == nil) == !entries.contains { $0.isAlive }, "it waits if there is a task")
      if let token { waiters.append(token) }
    case .stopWaiting:
      guard let waiter = waiters.first else { return }
      require(registry.stopWaiting(waiter) != nil, "a waiter is given back")
      waiters.removeFirst()
    }
  }

  private mutating func endLease(_ number: Int) {
    entries[number].hasID = false
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
    require(
      Set(listed) == Set(entries.indices.filter { entries[$0].hasID })
        && Set(listed).count == listed.count,
      "exactly the ids that are held are found"
    )
    for (number, entry) in entries.enumerated() where entry.maker == .isDone && entry.isAlive {
      require(entry.mustBeCancelled == entry.wasCancelled, "\(number) is cancelled if it must be")
    }
  }

  func checkEnd() {
    require(
      registry.count == 0 && holders(cancelledToo: true).isEmpty && waiters.isEmpty,
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

  @Test
  func `every order of two tasks and an owner keeps the registry's guarantees`() {
    let deeds: Set = isDebug ? [.look, .cancelID, .close] : Set(RegistryRun.Deed.allCases)
    let known = isDebug ? 13_096 : 493_052
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
        exploration.explore(RegistryRun([Self.a, second, third], [.look, .cancelID]))
      }
    }
    print("three tasks of a bag: \(exploration)")
    #expect(exploration.situations >= 410_470)
  }
}
