import CooperativeCancellation
import Foundation
import Synchronization

/// Events with their times.
final class Timeline: Sendable {
  private struct State {
    var events: [(time: Duration, text: String)] = []
    var task: Task<Void, any Error>?
  }

  private let start = ContinuousClock.now
  private let state = Mutex(State())

  func note(_ text: String) {
    let time = ContinuousClock.now - start
    state.withLock { $0.events.append((time, text)) }
  }

  func cancelTask() {
    note("task cancelled")
    state.withLock { $0.task }?.cancel()
  }

  var lines: [String] {
    let events = state.withLock { $0.events }
    return events.map { String(format: "%.2f s  ", $0.time / .seconds(1)) + $0.text }
  }

  /// Runs `body` in a task, cancels the task, and waits for it and for the server.
  static func recording(
    cancelAfter time: Duration?,
    _ body: @escaping @Sendable (Timeline) async throws -> String
  ) async throws -> Timeline {
    let timeline = Timeline()
    // Under the lock, which the task takes to note an event: by then, it is known.
    timeline.state.withLock { state in
      state.task = Task {
        do {
          timeline.note("wait returned: \(try await body(timeline))")
        } catch  where error is CancellationError || error is TimeoutError || error is TimedOut {
          timeline.note("wait returned: \(type(of: error))")
        }
      }
    }
    if let time {
      try await Task.sleep(for: time)
      timeline.cancelTask()
    }
    try await timeline.state.withLock { $0.task }?.value
    // The server may continue after the wait has returned. Waits for it for at most five seconds.
    let isOver = { timeline.state.withLock { $0.events.contains { $0.text.hasPrefix("server:") } } }
    for _ in 0..<500 where !isOver() {
      try await Task.sleep(for: .milliseconds(10))
    }
    return timeline
  }
}
