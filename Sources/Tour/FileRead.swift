import CooperativeCancellation
import Dispatch
import Foundation
import Synchronization

/// A file read through `DispatchIO`.
enum FileRead {
  static func toTheEnd(_ path: String) async throws {
    try await scene("A file, read to its end (DispatchIO)", path) { _ in }
  }

  static func cancelled(_ path: String) async throws {
    try await scene("The same file, cancelled just before the callback reports its end", path) {
      $0.cancelTask()
    }
  }

  private static func scene(
    _ title: String,
    _ path: String,
    atEnd: @escaping @Sendable (Timeline) -> Void
  ) async throws {
    try await play(
      title,
      byHand: { timeline in
        let channel = try open(path, noting: timeline)
        let count = try await byHandHelper { read(channel, path, atEnd: { atEnd(timeline) }, $0) }
        return "\(count) bytes"
      },
      bridged: { timeline in
        let count = try await withAsyncThrowingValue { completion in
          let channel = try open(path, noting: timeline)
          read(channel, path, atEnd: { atEnd(timeline) }, completion)
          return channel
        } onCancel: { channel in
          timeline.note("SDK told: close(.stop)")
          channel.close(flags: .stop)
        } onDiscard: { bytes in
          timeline.note("discarded: \(bytes) bytes")
        }
        return "\(count) bytes"
      },
      until: "file closed"
    )
  }

  /// Reads a file as an SDK does: in blocks, with one completion handler at the end.
  private static func read(
    _ channel: DispatchIO,
    _ path: String,
    atEnd: @escaping @Sendable () -> Void,
    _ completion: @escaping @Sendable (Result<Int, any Error>) -> Void
  ) {
    let count = Mutex(0)
    channel.read(offset: 0, length: .max, queue: .global()) { isDone, data, error in
      count.withLock { $0 += data?.count ?? 0 }
      guard isDone else { return }
      atEnd()
      channel.close()
      completion(error == 0 ? .success(count.withLock { $0 }) : .failure(FileError(path, error)))
    }
  }

  private static func open(_ path: String, noting timeline: Timeline) throws -> DispatchIO {
    let descriptor = Foundation.open(path, O_RDONLY)
    guard descriptor >= 0 else { throw FileError(path, errno) }
    timeline.note("file opened")
    return DispatchIO(type: .stream, fileDescriptor: descriptor, queue: .global()) { _ in
      close(descriptor)
      timeline.note("file closed")
    }
  }

  private struct FileError: Error, CustomStringConvertible {
    let description: String

    init(_ path: String, _ code: Int32) {
      description = "cannot read '\(path)': \(String(cString: strerror(code)))"
    }
  }
}
