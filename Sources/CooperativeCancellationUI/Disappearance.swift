/// What UIKit says about a screen that has disappeared, or about a container that the screen is in.
///
/// The decision is here, apart from UIKit, so that it can be tested everywhere.
package struct Disappearance: Sendable, Hashable {
  /// It was dismissed itself.
  package var isBeingDismissed: Bool

  /// It was popped, or taken out of its container.
  package var isMovingFromParent: Bool

  package init(isBeingDismissed: Bool, isMovingFromParent: Bool) {
    self.isBeingDismissed = isBeingDismissed
    self.isMovingFromParent = isMovingFromParent
  }

  /// Whether a screen has gone for good, rather than been covered by another: it has, or one of its containers.
  package static func isFinal(_ screenAndContainers: some Sequence<Disappearance>) -> Bool {
    screenAndContainers.contains { $0.isBeingDismissed || $0.isMovingFromParent }
  }
}
