import Foundation

/// A line on a terminal that says how far a run has come, once it has taken a second.
struct Progress {
  private let isTerminal = isatty(STDERR_FILENO) == 1
  private var next = ContinuousClock.now + .seconds(1)
  private var isVisible = false

  mutating func show(_ text: String) {
    guard isTerminal, ContinuousClock.now >= next else { return }
    FileHandle.standardError.write(Data("\r\(text)".utf8))
    next = .now + .milliseconds(200)
    isVisible = true
  }

  /// Before other output.
  mutating func clear() {
    if isVisible { FileHandle.standardError.write(Data("\r\u{1B}[K".utf8)) }
    isVisible = false
  }
}
