import Foundation

/// A line on a terminal that says how far a run has come, once it has taken a second.
struct Progress {
  private let total: Int
  private let isShown: Bool
  private let clock = ContinuousClock()
  private var next: ContinuousClock.Instant
  private var isVisible = false

  init(total: Int) {
    self.total = total
    isShown = isatty(STDERR_FILENO) == 1
    next = clock.now + .seconds(1)
  }

  mutating func advance(to count: Int) {
    guard isShown, clock.now >= next else { return }
    write("\r\(count) of \(total) files")
    isVisible = true
    next = clock.now + .milliseconds(200)
  }

  /// Before other output.
  mutating func clear() {
    guard isVisible else { return }
    write("\r\u{1B}[K")
    isVisible = false
  }

  private func write(_ text: String) {
    FileHandle.standardError.write(Data(text.utf8))
  }
}
