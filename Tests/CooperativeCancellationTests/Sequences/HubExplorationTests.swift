import CancellationInternals
import CallbackSequences
import CooperativeCancellation
import Testing

/// Some readers of a shared sequence, its driver and its SDK. What takes the hub's lock once is one
/// step here.
private struct HubRun: Explorable {
  struct Reader: Hashable {
    enum State: Hashable { case isToCome, joined, cancelled, left }

    var state = State.isToCome
    var number = 0
    var wasTold = false
    /// Whether it waits until the registration has returned, as it does in `started()`.
    var waits = false
  }

  enum Driver: Hashable { case rests, works, registering(Int), unregistering(Int) }

  struct Situation: Hashable {
    var readers: [Reader]
    var driver = Driver.rests
    /// How often a reader has joined or left, and not yet started the driver.
    var drivesToStart = 0
    /// The registration that the SDK knows, and has not been told to end.
    var registered: Int?
    /// Whether the SDK, or an error of the registration, has ended the latest registration.
    var hasEnded = false
    var registration = 0
    var latest: Int?
    /// What the running registration has yielded, and whether it has ended.
    var held: [Int] = []
    var isHeldEnded = false
    var elements = 0
    var ends = 0
    var failures = 0
  }

  let replays: Bool
  /// An ending is the number of its registration.
  var machine: HubMachine<Int, Int, Int, Int>
  var situation: Situation
  var history: [Step] = []

  init(readers: Int, replays: Bool) {
    self.replays = replays
    machine = HubMachine(.unbounded, replays: replays)
    situation = Situation(readers: Array(repeating: Reader(), count: readers))
  }

  func moves(_ step: inout Steps<HubRun>) {
    for (number, reader) in situation.readers.enumerated() {
      switch reader.state {
      case .isToCome: step("joins", number) { $0.join(number) }
      case .joined:
        step("leaves", number) { $0.leave(number) }
        step("is cancelled", number) { $0.situation.readers[number].state = .cancelled }
      case .cancelled: step("leaves", number) { $0.leave(number) }
      case .left: break
      }
    }
    if situation.drivesToStart > 0 { step("starts the driver") { $0.startDriver() } }
    if situation.driver != .rests { step("driver") { $0.drive() } }
    if case .registering = situation.driver, situation.failures < 1 {
      step("registration throws") { $0.throwError() }
    }
    // Also by callbacks of a registration that has been ended.
    for registration in Set([1, situation.registration]).sorted() where registration > 0 {
      if registration > situation.registration { continue }
      if situation.elements < 2 { step("yields", registration) { $0.yield(registration) } }
      if situation.ends < 2 { step("ends", registration) { $0.end(registration) } }
    }
  }

  private var isOpen: Bool { situation.registration > 0 && !situation.hasEnded }

  private mutating func join(_ number: Int) {
    // As in ``Hub``, the latest element comes first.
    let latest = isOpen ? situation.latest : nil
    require(machine.latest == latest, "it is of the open registration")
    situation.readers[number].state = .joined
    situation.readers[number].number = machine.join(number)
    let isRegistered = isOpen && situation.registered == situation.registration
    situation.readers[number].waits = machine.waitForRegistration(number)
    require(
      situation.readers[number].waits == !isRegistered,
      "it waits unless the registration is open"
    )
    situation.drivesToStart += 1
  }

  private mutating func leave(_ number: Int) {
    situation.readers[number].state = .left
    let (left, starter) = machine.leave(situation.readers[number].number)
    require((starter != nil) == situation.readers[number].waits, "who leaves waits no longer")
    situation.readers[number].waits = false
    require(
      (left == nil) == situation.readers[number].wasTold,
      "the hub keeps a reader until it leaves or is told of the end"
    )
    situation.drivesToStart += 1
  }

  private mutating func startDriver() {
    situation.drivesToStart -= 1
    if !machine.startDriver() { return }
    require(situation.driver == .rests, "there is one driver")
    situation.driver = .works
  }

  private mutating func drive() {
    switch situation.driver {
    case .rests: break
    case .works:
      switch machine.nextWork() {
      case .register(let registration):
        require(situation.registered == nil, "a registration begins when the one before is over")
        situation.registration = registration
        situation.hasEnded = false
        situation.latest = nil
        situation.isHeldEnded = false
        situation.driver = .registering(registration)
      case .unregister(let registration, _):
        require(situation.registered == registration, "what is ended was registered")
        situation.hasEnded = true
        situation.driver = .unregistering(registration)
      case nil:
        situation.driver = .rests
      }
    case .registering(let registration):
      situation.registered = registration
      situation.driver = .works
      var received = situation.readers.map { _ in [Int]() }
      let opened = machine.registered(registration) { received[$0].append($1) }
      for (number, reader) in situation.readers.enumerated() where reader.state != .cancelled {
        let expected = isOpen && has(.joined, number) ? situation.held : []
        require(received[number] == expected, "each reader gets what the registration yielded")
      }
      start(opened.starters, if: isOpen)
      if isOpen, replays { situation.latest = situation.held.last }
      situation.held = []
      let mustTell = isOpen && situation.isHeldEnded
      require((opened.end != nil) == mustTell, "an end comes after the registration")
      tell(opened.readers, if: mustTell)
    case .unregistering:
      situation.registered = nil
      situation.driver = .works
    }
  }

  /// Whether a reader has a state, and was not told of the end.
  private func has(_ state: Reader.State, _ reader: Int) -> Bool {
    situation.readers[reader].state == state && !situation.readers[reader].wasTold
  }

  private var untold: [Int] {
    situation.readers.indices.filter { has(.joined, $0) || has(.cancelled, $0) }
  }

  private mutating func throwError() {
    situation.failures += 1
    situation.driver = .works
    let threw = machine.registrationThrew()
    situation.held = []
    start(threw.starters, if: isOpen)
    tell(threw.readers, if: isOpen)
  }

  private mutating func yield(_ registration: Int) {
    situation.elements += 1
    let element = situation.elements
    var receivers: [Int] = []
    let isRead = machine.yield(element, registration) { reader in
      if situation.readers[reader].state == .cancelled { return false }
      receivers.append(reader)
      return true
    }.isRead
    guard isOpen, registration == situation.registration else {
      let isRefused = !isRead && receivers.isEmpty
      return require(isRefused, "a registration delivers nothing after its end, or after `false`")
    }
    let readers = situation.readers.indices.filter { has(.joined, $0) }
    // The SDK may stop after `false`.
    if situation.driver == .registering(registration) {
      require(receivers.isEmpty, "an element is held while the registration runs")
      if untold.isEmpty { situation.hasEnded = true }
      if situation.hasEnded || situation.isHeldEnded {
        return require(!isRead, "an element that no reader can receive is refused")
      }
      require(isRead, "an element that is held counts as read")
      situation.held.append(element)
    } else {
      require(receivers.sorted() == readers, "each reader gets what comes since it joined")
      if replays { situation.latest = element }
      guard !isRead else { return }
      situation.hasEnded = true
      // Those that refuse are cancelled, and the hub lets go of them.
      for reader in situation.readers.indices where situation.readers[reader].state == .cancelled {
        situation.readers[reader].wasTold = true
      }
    }
  }

  private mutating func end(_ registration: Int) {
    situation.ends += 1
    let told = machine.end(.finished, registration).readers
    let counts = isOpen && registration == situation.registration
    if counts, situation.driver == .registering(registration) {
      situation.isHeldEnded = true
      return require(told.isEmpty, "the readers learn of the end when the registration returns")
    }
    tell(told, if: counts)
  }

  /// The registration has returned: those go on that wait for it.
  private mutating func start(_ started: [Int], if counts: Bool) {
    let waiting = situation.readers.indices.filter { situation.readers[$0].waits }
    require(started.sorted() == (counts ? waiting : []), "all that wait for it go on, once")
    for reader in started { situation.readers[reader].waits = false }
  }

  /// Readers were told of the end, which must be all if it counts.
  private mutating func tell(_ told: [Int], if counts: Bool) {
    require(told.sorted() == (counts ? untold : []), "all readers are told of the end, once")
    if counts {
      situation.hasEnded = true
      situation.latest = nil
    }
    for reader in told { situation.readers[reader].wasTold = true }
  }

  func checkEnd() {
    require(situation.driver == .rests, "nothing is left to do")
    require(situation.registered == nil, "the last reader has the sequence unregistered")
    require(
      machine.latest == nil && machine.readers.count == 0 && machine.held == nil
        && machine.starters.count == 0,
      "nothing is kept"
    )
  }
}

@Suite("Every order of events: a shared sequence", .watchdog, .ownThread)
struct HubExplorationTests {
  @Test(arguments: [false, true])
  func `every order of readers that come and go, elements and ends keeps what is shared right`(
    replays: Bool
  ) {
    // Three take long.
    let readers = environmentCount("TRIES") == nil ? 2 : 3
    var exploration = Exploration()
    exploration.explore(HubRun(readers: readers, replays: replays))
    print("a shared sequence of \(readers) readers: \(exploration)")
    #expect(exploration.situations >= (replays ? 43_083 : 32_351))
  }
}
