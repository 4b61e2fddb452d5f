import CooperativeCancellation
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A download through `URLSession`'s completion handler, with a hand-written wrapper and with the
/// library.
struct Download: Sendable {
  let title: String
  var timeout: Duration?
  var isCancelledAtEnd = false

  /// Downloads with both, and prints what happened, side by side.
  func play(cancelAfter time: Duration? = nil) async throws {
    let byHand = try await Timeline.recording(cancelAfter: time, loadByHand)
    let bridged = try await Timeline.recording(cancelAfter: time, load)
    print(title, terminator: "\n\n")
    let left = ["hand-written"] + byHand.lines
    let right = ["with the library"] + bridged.lines
    for number in 0..<max(left.count, right.count) {
      let (first, second) = (left.dropFirst(number).first, right.dropFirst(number).first)
      print("  " + (first ?? "").padding(toLength: 46, withPad: " ", startingAt: 0), second ?? "")
    }
    print()
    fflush(nil)  // Also into a pipe.
  }

  private func loadByHand(noting timeline: Timeline) async throws -> String {
    let url = try SlowServer(noting: timeline).url
    guard let timeout else { return try await byHandHelper { start(url, timeline, $0) } }
    return try await withTimeoutByHand(timeout) {
      try await byHandHelper { start(url, timeline, $0) }
    }
  }

  private func load(noting timeline: Timeline) async throws -> String {
    let url = try SlowServer(noting: timeline).url
    return try await withAsyncThrowingValue(timeout: timeout.map { Timeout($0) }) { completion in
      start(url, timeline, completion)
    } onCancel: { task in
      timeline.note("SDK told: cancel()")
      task.cancel()
    } onDiscard: { bytes in
      timeline.note("discarded: \(bytes)")
    }
  }

  @discardableResult
  private func start(
    _ url: URL,
    _ timeline: Timeline,
    _ completion: @escaping @Sendable (Result<String, any Error>) -> Void
  ) -> URLSessionDataTask {
    let task = URLSession.shared.dataTask(with: url) { data, _, error in
      if isCancelledAtEnd { timeline.cancelTask() }
      completion(error.map { .failure($0) } ?? .success("\(data?.count ?? 0) bytes"))
    }
    task.resume()
    return task
  }
}
