public import CancellationInternals

/// Decides when a shared sequence registers and unregisters, and who receives what.
///
/// ```
///   ┌──────┐  a reader joins  ┌─────────────┐  it returns  ┌──────┐
///   │ idle │ ───────────────▶ │ registering │ ───────────▶ │ open │
///   └──────┘                  └─────────────┘              └──────┘
///      ▲  it returns  ┌───────────────┐                       │ the last reader leaves,
///      └───────────── │ unregistering │ ◀─────────────────────┘ or the SDK ends it
///                     └───────────────┘
/// ```
///
/// One task at a time, the driver, registers and unregisters until nothing is left to do. So a
/// registration never overlaps the previous one, whose `onTermination` could clear the SDK's only
/// slot.
@usableFromInline
package struct HubMachine<
  Reader: Sendable,
  Element: Sendable,
  Ending: Sendable,
  Starter: Sendable
>: Sendable {
  package enum Work: Sendable {
    case register(Int)
    /// With the latest element, to release.
    case unregister(Ending, Element?)
  }

  @usableFromInline let policy: BufferingPolicy
  @usableFromInline let replays: Bool
  /// The readers of the open registration, or those that wait for the next one.
  @usableFromInline package private(set) var readers: NumberedQueue<Reader>
  /// What waits until the registration has returned, with the numbers of its readers.
  package private(set) var starters = NumberedQueue<Starter>()
  /// For the next reader, while a registration is open.
  @usableFromInline package var latest: Element?
  @usableFromInline var lastNumber = 0
  /// The number of the latest registration.
  @usableFromInline var registration = 0
  /// Whether the latest registration, which may not have returned, still delivers. `false` when the
  /// SDK has ended it, or when it has yielded and there is no reader.
  @usableFromInline var isOpen = false
  /// What waits for the registration to return, because all of it is discarded if the registration
  /// throws.
  @usableFromInline package private(set) var held: InboxMachine<Element>?
  /// Ends the latest registration, which has returned. `nil` while one is registering, and when it
  /// has been unregistered.
  @usableFromInline var ending: Ending?
  /// Whether a driver is running.
  @usableFromInline var isDriven = false

  package init(_ policy: BufferingPolicy, replays: Bool) {
    self.policy = policy
    self.replays = replays
    readers = NumberedQueue()
  }

  /// A reader begins. Returns the number with which it leaves.
  package mutating func join(_ reader: Reader) -> Int {
    lastNumber += 1
    readers.append(reader, lastNumber)
    return lastNumber
  }

  /// The reader that has just joined waits until the registration has returned. Returns whether it
  /// must.
  package mutating func waitForRegistration(_ starter: Starter) -> Bool {
    if isOpen, ending != nil { return false }
    starters.append(starter, lastNumber)
    return true
  }

  private mutating func takeStarters() -> [Starter] {
    defer { starters = NumberedQueue() }
    return starters.slots.compactMap(\.element)
  }

  /// A reader leaves. Returns it, for release after unlocking, and what waits for its registration;
  /// `nil` if the end has already removed it.
  package mutating func leave(_ number: Int) -> (reader: Reader?, starter: Starter?) {
    (readers.remove(number), starters.remove(number))
  }

  /// Returns whether the caller becomes the driver.
  package mutating func startDriver() -> Bool {
    if isDriven { return false }
    isDriven = hasWork
    return isDriven
  }

  /// Whether the driver must register or unregister. Only the driver asks, or who would become it.
  private var hasWork: Bool {
    // Registered: if it is over, or its last reader has left.
    if ending != nil { return !isOpen || readers.count == 0 }
    // Not registered: if there is a reader.
    return readers.count > 0
  }

  /// Returns what the driver does next; at `nil`, it ends.
  package mutating func nextWork() -> Work? {
    isDriven = hasWork
    if !isDriven { return nil }
    if let ending = ending.take() {
      // The registration is over, or its last reader has left. A reader that joins meanwhile waits
      // for the next one.
      isOpen = false
      return .unregister(ending, latest.take())
    }
    // None is registered, and there are readers. They get what it yields when it has returned.
    registration += 1
    isOpen = true
    held = InboxMachine(policy)
    return .register(registration)
  }

  /// What to do when a registration has returned.
  package struct Opened {
    /// How it has already ended, and whom to tell.
    package var end: SubscriptionEnd?
    package var readers: [Reader] = []
    /// What waited for it.
    package var starters: [Starter] = []
    /// What it yielded, to release.
    var elements: [Element] = []
  }

  /// The registration returned. Delivers what it yielded.
  package mutating func registered(
    _ ending: Ending,
    deliver: (Reader, Element) -> Void
  ) -> Opened {
    self.ending = ending
    var unread = held.take()
    var elements: [Element] = []
    while let element = unread?.take() { elements.append(element) }
    // It was over before it returned, and its readers have been told. Those who joined since wait
    // for the next one.
    guard isOpen else { return Opened(elements: elements) }
    let starters = takeStarters()
    for case (_, let reader?) in readers.slots {
      for element in elements { deliver(reader, element) }
    }
    if replays { latest = elements.last }
    // What it did while it was running was held, so it may have ended, too.
    guard case .ended(let end)? = unread?.next() else {
      return Opened(starters: starters, elements: elements)
    }
    return Opened(end: end, readers: close().readers, starters: starters, elements: elements)
  }

  /// The registration threw. Returns the readers and what waits, to be told, and what to release.
  package mutating func registrationThrew() -> (
    readers: [Reader], starters: [Starter], unread: InboxMachine<Element>?
  ) {
    guard isOpen else { return ([], [], held.take()) }
    return (close().readers, takeStarters(), held.take())
  }

  /// That registration yielded an element. Returns whether a reader received it, and an element to
  /// release. If none did, the registration is over, and the SDK may stop, because the readers are
  /// all cancelled. They are taken out, for release, because they would count as readers of a next
  /// one. While the registration is running, the element is held.
  @_alwaysEmitIntoClient
  package mutating func yield(
    _ element: Element,
    _ registration: Int,
    deliver: (Reader) -> Bool
  ) -> (isRead: Bool, replaced: Element?, gone: NumberedQueue<Reader>?) {
    // From a callback of an earlier registration, or after the end.
    guard isOpen, registration == self.registration else { return (false, nil, nil) }
    // The registration has not returned. If it throws, no reader may have received the element.
    if readers.count > 0, let yielded = held?.yield(element) {
      return (yielded.isOpen, yielded.surplus, nil)
    }
    var isRead = false
    for slot in readers.slots { if let reader = slot.element, deliver(reader) { isRead = true } }
    isOpen = isRead
    let replaced = latest.take()
    if isOpen, replays { latest = element }
    return (isOpen, replaced, isOpen ? nil : readers.takeAll())
  }

  /// The SDK ended that registration. Returns the readers to tell, and the latest element to
  /// release.
  package mutating func end(
    _ end: SubscriptionEnd,
    _ registration: Int
  ) -> (readers: [Reader], latest: Element?) {
    guard isOpen, registration == self.registration else { return ([], nil) }
    // The registration has not returned: `registered` finds the end.
    if held?.end(end) != nil { return ([], nil) }
    return close()
  }

  private mutating func close() -> (readers: [Reader], latest: Element?) {
    isOpen = false
    defer { readers = NumberedQueue() }
    return (readers.slots.compactMap(\.element), latest.take())
  }
}
