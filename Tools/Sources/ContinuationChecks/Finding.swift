import SwiftSyntax

/// What is wrong with a callback.
public enum Kind: String, CaseIterable, Sendable {
  case neverResumed = "never-resumed"
  case neverCalled = "never-called"
  case resumedTwice = "resumed-twice"
  case cancellationCheckInCallback = "cancellation-check-in-callback"
  case timeoutCannotFire = "timeout-cannot-fire"
  case cancellationLost = "cancellation-lost"
}

/// A mistake at a place in a file.
public struct Finding: Hashable, Sendable {
  public let kind: Kind
  public let line: Int
  public let column: Int
  public let message: String
}

/// A mistake at a node's position, before it has a line.
struct Mistake {
  let kind: Kind
  let position: AbsolutePosition
  let message: String

  init(_ kind: Kind, at position: AbsolutePosition, _ message: String) {
    self.kind = kind
    self.position = position
    self.message = message
  }
}
