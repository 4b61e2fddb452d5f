import CooperativeCancellation
import Synchronization

/// One scenario, run with a hand-written wrapper and with the library.
struct Scene: CustomStringConvertible {
  let title: String
  let byHand: Timeline
  let bridged: Timeline

  /// Runs a scenario both ways.
  init(
    _ title: String,
    byHand: @escaping @Sendable (Timeline) async throws -> String,
    bridged: @escaping @Sendable (Timeline) async throws -> String,
    cancel: Cancel,
    isOver: @escaping @Sendable (Timeline) -> Bool
  ) async throws {
    self.title = title
    self.byHand = try await Timeline.recording(byHand, cancel: cancel, isOver: isOver)
    self.bridged = try await Timeline.recording(bridged, cancel: cancel, isOver: isOver)
  }

  var description: String {
    let left = ["hand-written"] + byHand.lines
    let width = left.map(\.count).max().map { $0 + 3 } ?? 0
    let right = ["with the library"] + bridged.lines
    var text = "\(title)\n\n"
    for index in 0..<max(left.count, right.count) {
      let first = index < left.count ? left[index] : ""
      let second = index < right.count ? right[index] : ""
      let padding = String(repeating: " ", count: width - first.count)
      text += second.isEmpty ? "  \(first)\n" : "  \(first)\(padding)\(second)\n"
    }
    return text
  }
}

/// When the task of a scenario is cancelled.
enum Cancel {
  case never
  case after(Duration)
  /// The scenario calls ``Timeline/cancelTask()``.
  case byTheScenario
}

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

  func contains(_ text: String) -> Bool {
    state.withLock { $0.events.contains { $0.text.hasPrefix(text) } }
  }

  func cancelTask() {
    note("task cancelled")
    state.withLock { $0.task }?.cancel()
  }

  var lines: [String] {
    state.withLock { $0.events }.map { event in
      let hundredths = Int(event.time / .milliseconds(10))
      let fraction = hundredths % 100
      return "\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction) s  \(event.text)"
    }
  }

  /// Runs `body` in a task, cancels the task, and waits for it and for the SDK.
  static func recording(
    _ body: @escaping @Sendable (Timeline) async throws -> String,
    cancel: Cancel,
    isOver: @Sendable (Timeline) -> Bool
  ) async throws -> Timeline {
    let timeline = Timeline()
    let mayStart = AsyncStream<Void>.makeStream()
    let task = Task {
      for await _ in mayStart.stream { break }
      do {
        timeline.note("wait returned: \(try await body(timeline))")
      } catch  where error is CancellationError || error is TimeoutError || error is TimedOut {
        timeline.note("wait returned: \(type(of: error))")
      }
    }
    timeline.state.withLock { $0.task = task }
    mayStart.continuation.yield()
    if case .after(let time) = cancel {
      try await Task.sleep(for: time)
      timeline.cancelTask()
    }
    try await task.value
    // The SDK may continue after the wait has returned. Waits for it for at most five seconds.
    for _ in 0..<500 where !isOver(timeline) {
      try await Task.sleep(for: .milliseconds(10))
    }
    return timeline
  }
}
