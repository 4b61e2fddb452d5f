/// Decides what happens to the elements of one subscription, and how it ends.
///
/// ```
///                     finish, fail,
///   ┌──────┐       release of callback        ┌────────┐
///   │ open │ ───────────────────────────────▶ │ ending │
///   └──────┘                                  └────────┘
///    │    │ cancel          cancel, elements left │  │ the last element was read,
///    │    └─────────▶ ┌───────────┐ ◀─────────────┘  │ then the end
///    │ abandon        │ cancelled │                  │
///    │                └───────────┘                  │
///    │                      │ read, abandon          ▼
///    └──────────────────────┴────────────────▶ ┌──────┐
///                                              │ over │
///                                              └──────┘
/// ```
@usableFromInline package struct InboxMachine<Element: Sendable>: Sendable {
  @usableFromInline package enum Phase: Sendable {
    /// Initial state: the SDK may yield.
    case open

    /// The SDK has ended the subscription. Earlier elements are still delivered.
    case ending(SubscriptionEnd)

    /// Cancelled, under the runtime's lock: nothing more is delivered. The reader takes out what is
    /// left.
    case cancelled(SubscriptionEnd?)

    /// The reader has read the end or is gone.
    case over
  }

  /// After an element: whether the SDK may continue, and one to discard, this one or the one that
  /// it replaced.
  @usableFromInline package typealias Yielded = (isOpen: Bool, surplus: Element?)

  @usableFromInline package enum Found: Sendable {
    case element(Element)
    case nothing
    case ended(SubscriptionEnd)
    /// With the elements to discard.
    case cancelled(Unread)
    case over
  }

  /// What is left of a subscription that is not read to its end. The phase may have an error, to be
  /// released.
  @usableFromInline package typealias Unread = (elements: ElementBuffer<Element>, phase: Phase)

  @usableFromInline let capacity: Int
  @usableFromInline let evicts: Bool
  @usableFromInline var phase = Phase.open
  @usableFromInline var elements = ElementBuffer<Element>()

  @_alwaysEmitIntoClient
  package init(_ policy: BufferingPolicy) {
    switch policy {
    case .newest(let count):
      capacity = max(1, count)
      evicts = true
    case .oldest(let count):
      capacity = max(1, count)
      evicts = false
    case .unbounded:
      capacity = .max
      evicts = false
    }
  }

  /// The SDK yielded an element.
  @_alwaysEmitIntoClient
  package mutating func yield(_ element: Element) -> Yielded {
    // Ended, cancelled or abandoned: the element is discarded, and the SDK may stop.
    guard case .open = phase else { return (false, element) }
    var surplus: Element?
    if elements.count == capacity {
      // The reader is slow. `.oldest` discards the new element, `.newest` the oldest one.
      guard evicts else { return (true, element) }
      surplus = elements.popFirst()
    }
    elements.append(element, capacity: capacity)
    return (true, surplus)
  }

  /// The SDK finished, failed, or released its callback. Returns whether to wake sleeping readers.
  @_alwaysEmitIntoClient
  package mutating func end(_ end: SubscriptionEnd) -> Bool {
    guard case .open = phase else { return false }
    phase = .ending(end)
    return true
  }

  /// The reader's task was cancelled. Returns whether to wake sleeping readers. If the SDK's end is
  /// next, it stays.
  @_alwaysEmitIntoClient
  package mutating func cancel() -> Bool {
    switch phase {
    case .open:
      phase = .cancelled(nil)
    case .ending(let end) where !elements.isEmpty:
      // The SDK had ended it, but the reader has not come that far.
      phase = .cancelled(end)
    case .ending, .cancelled, .over:
      // Nothing is left but the end, which is delivered, like an answer that came before a
      // cancellation.
      return false
    }
    return true
  }

  /// Returns what there is for the reader: elements first, also those from before the SDK's end;
  /// then, once, the end.
  @_alwaysEmitIntoClient
  package mutating func next() -> Found {
    switch phase {
    case .open:
      if let element = elements.popFirst() { return .element(element) }
      return .nothing
    case .ending(let end):
      if let element = elements.popFirst() { return .element(element) }
      phase = .over
      // To this reader; others find that it is over.
      return .ended(end)
    case .cancelled:
      return .cancelled(abandon())
    case .over:
      return .over
    }
  }

  /// Takes an element if one may be delivered.
  @_alwaysEmitIntoClient
  package mutating func take() -> Element? {
    switch phase {
    case .open, .ending: elements.popFirst()
    case .cancelled, .over: nil
    }
  }

  /// Whether the reader may sleep, because ``next()`` would find nothing.
  @_alwaysEmitIntoClient
  package var hasNothing: Bool {
    if case .open = phase { elements.isEmpty } else { false }
  }

  /// The reader is gone. Returns what remains.
  @_alwaysEmitIntoClient
  package mutating func abandon() -> Unread {
    let unread = (elements: elements, phase: phase)
    elements = ElementBuffer()
    phase = .over
    return unread
  }
}

@usableFromInline package enum SubscriptionEnd: Sendable {
  /// It called its finish closure or released its callback.
  case finished
  case failed(any Error)
}
