/// Whether nothing can show a screen again, according to where its outermost container is.
///
/// Separate from UIKit, so that the decision can be tested everywhere.
package func isOffscreen(isInWindow: Bool, isPresented: Bool, isPresenting: Bool) -> Bool {
  !isInWindow && !isPresented && !isPresenting
}
