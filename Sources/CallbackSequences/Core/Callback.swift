public import CooperativeCancellation

/// After the registration, only the SDK's closures own it: when the SDK releases them all, the
/// sequence ends.
@usableFromInline package final class Callback<Element: Sendable>: Sendable {
  @usableFromInline let inbox: Inbox<Element>

  @_alwaysEmitIntoClient
  init(_ inbox: Inbox<Element>) { self.inbox = inbox }

  @inlinable
  deinit { inbox.end(.finished) }

  /// The SDK called back with an element. Returns whether the sequence is still being read.
  @_alwaysEmitIntoClient
  @discardableResult
  func yield(_ element: Element) -> Bool { inbox.yield(element) }

  @_alwaysEmitIntoClient
  func end(_ end: SubscriptionEnd) { inbox.end(end) }

  /// The SDK called back with a result. An error ends the sequence.
  @_alwaysEmitIntoClient
  func yield(_ result: Result<Element, some Error>) {
    switch result {
    case .success(let element): yield(element)
    case .failure(let error): end(.failed(error))
    }
  }

  /// The SDK called back with an element and an error. The error ends the sequence, and the element
  /// is discarded.
  @_alwaysEmitIntoClient
  func yield(_ element: Element?, _ error: (any Error)?, _ callSite: CallSite) {
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
