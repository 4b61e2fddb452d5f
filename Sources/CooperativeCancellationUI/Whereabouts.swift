/// Where a screen is shown, or may be shown again, according to its outermost container.
///
/// Separate from UIKit, so that the decision can be tested everywhere.
package struct Whereabouts: Sendable, Hashable {
  /// A window shows it.
  package var isInWindow: Bool

  /// Another screen presents it. It may be covered.
  package var isPresented: Bool

  /// It presents another screen, which may cover it.
  package var isPresenting: Bool

  package init(isInWindow: Bool, isPresented: Bool, isPresenting: Bool) {
    self.isInWindow = isInWindow
    self.isPresented = isPresented
    self.isPresenting = isPresenting
  }

  /// Whether nothing can show it.
  package var isNowhere: Bool { !isInWindow && !isPresented && !isPresenting }
}
