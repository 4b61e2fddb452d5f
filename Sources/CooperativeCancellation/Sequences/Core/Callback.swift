/// Owned by the closures that the SDK calls, and by nothing else after the registration. When the SDK has
/// released all of them, the sequence ends.
@frozen
@usableFromInline
package struct Callback<Element: Sendable>: ~Copyable, SharedContents {
  @usableFromInline let inbox: Shared<Inbox<Element>>

  @inlinable
  init(_ inbox: Shared<Inbox<Element>>) {
    self.inbox = inbox
  }

  @inlinable
  package func lastReferenceWasReleased() {
    inbox.contents.end(.finished)
  }
}

extension Shared where Contents: ~Copyable {
  /// The SDK called back with an element. Returns whether the sequence is still being read.
  @inlinable
  @discardableResult
  func yield<Element>(_ element: Element) -> Bool where Contents == Callback<Element> {
    contents.inbox.contents.yield(element)
  }

  /// The same, as the type that the SDK's callback returns.
  @inlinable
  func answer<Element, Answer: ExpressibleByBooleanLiteral>(
    _ element: Element
  ) -> Answer where Contents == Callback<Element> {
    yield(element) ? true : false
  }

  @inlinable
  func end<Element>(_ end: SubscriptionEnd) where Contents == Callback<Element> {
    contents.inbox.contents.end(end)
  }

  /// The SDK called back with a result. An error ends the sequence.
  @inlinable
  func yield<Element>(
    _ result: Result<Element, some Error>
  ) where Contents == Callback<Element> {
    switch result {
    case .success(let element): yield(element)
    case .failure(let error): end(.failed(error))
    }
  }

  /// The SDK called back with an element and an error. The error ends the sequence, and the element is discarded.
  @inlinable
  func yield<Element>(
    _ element: Element?,
    _ error: (any Error)?,
    _ callSite: CallSite
  ) where Contents == Callback<Element> {
    switch (element, error) {
    case (let element, let error?):
      end(.failed(error))
      // After the end, so the element is discarded.
      if let element { yield(element) }
    case (let element?, nil):
      yield(element)
    case (nil, nil):
      end(.failed(MissingValueError(callSite: callSite)))
    }
  }
}
