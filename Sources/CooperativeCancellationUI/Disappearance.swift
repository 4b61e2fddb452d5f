/// What UIKit says about a screen that has disappeared.
///
/// The decision is here, apart from UIKit, so that it can be tested everywhere.
public struct Disappearance: Sendable, Hashable {
  /// The screen itself was dismissed.
  public var isBeingDismissed: Bool

  /// The screen was popped, or taken out of its container.
  public var isMovingFromParent: Bool

  /// The navigation controller that the screen is in was dismissed.
  public var isNavigationControllerBeingDismissed: Bool

  /// Describes a disappearance.
  public init(
    isBeingDismissed: Bool,
    isMovingFromParent: Bool,
    isNavigationControllerBeingDismissed: Bool
  ) {
    self.isBeingDismissed = isBeingDismissed
    self.isMovingFromParent = isMovingFromParent
    self.isNavigationControllerBeingDismissed = isNavigationControllerBeingDismissed
  }

  /// Whether the screen has gone for good, rather than been covered by another.
  public var isFinal: Bool {
    isBeingDismissed || isMovingFromParent || isNavigationControllerBeingDismissed
  }
}
