/// Where a screen is: on view, or where UIKit may show it again.
///
/// Of its outermost container, because a screen is where that is. The decision is here, apart from UIKit, so that it
/// can be tested everywhere.
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

  /// Whether nothing is left that could show it.
  package var isNowhere: Bool { !isInWindow && !isPresented && !isPresenting }
}
