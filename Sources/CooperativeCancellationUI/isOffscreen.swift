/// Whether nothing can show a screen again, according to where its outermost container is. Without UIKit, for tests.
package func isOffscreen(isInWindow: Bool, isPresented: Bool, isPresenting: Bool) -> Bool {
  !isInWindow && !isPresented && !isPresenting
}
