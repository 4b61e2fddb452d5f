import CooperativeCancellation
import Dispatch
import Foundation
import Synchronization

/// A file read through `DispatchIO`.
enum FileRead {
  static func toTheEnd(_ path: String) async throws -> Scene {
    try await Scene(
      "A file, read to its end (DispatchIO)",
      byHand: { "\(try await readByHand(path, noting: $0)) bytes" },
      bridged: { "\(try await read(path, noting: $0)) bytes" },
      cancel: .never,
      isOver: { $0.contains("file closed") }
    )
  }

  static func cancelled(_ path: String) async throws -> Scene {
    try await Scene(
      "The same file, cancelled just before the callback reports its end",
      byHand: { timeline in
        "\(try await readByHand(path, noting: timeline, atEnd: timeline.cancelTask)) bytes"
      },
      bridged: { timeline in
        "\(try await read(path, noting: timeline, atEnd: timeline.cancelTask)) bytes"
      },
      cancel: .byTheScenario,
      isOver: { $0.contains("file closed") }
    )
  }

  private static func readByHand(
    _ path: String,
    noting timeline: Timeline,
    atEnd: @escaping @Sendable () -> Void = {}
  ) async throws -> Int {
    let channel = try open(path, noting: timeline)
    return try await byHandHelper { completion in
      read(channel, path, noting: timeline, atEnd: atEnd, completion)
    }
  }

  private static func read(
    _ path: String,
    noting timeline: Timeline,
    atEnd: @escaping @Sendable () -> Void = {}
  ) async throws -> Int {
    try await withAsyncThrowingValue { completion in
      let channel = try open(path, noting: timeline)
      read(channel, path, noting: timeline, atEnd: atEnd, completion)
      return channel
    } onCancel: { channel in
      timeline.note("SDK told: close(.stop)")
      channel.close(flags: .stop)
    } onDiscard: { bytes in
      timeline.note("discarded: \(bytes) bytes")
    }
  }

  /// Reads a file as an SDK does: in blocks, with one completion handler at the end.
  private static func read(
    _ channel: DispatchIO,
    _ path: String,
    noting timeline: Timeline,
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
    // Without O_NONBLOCK, opening a pipe waits for its other end.
    let descriptor = Foundation.open(path, O_RDONLY | O_NONBLOCK)
    guard descriptor >= 0 else { throw FileError(path, errno) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw FileError(path, "not a regular file")
    }
    timeline.note("file opened")
    return DispatchIO(type: .stream, fileDescriptor: descriptor, queue: .global()) { _ in
      close(descriptor)
      timeline.note("file closed")
    }
  }

  struct FileError: Error, CustomStringConvertible {
    let description: String

    init(_ path: String, _ reason: String) {
      description = "cannot read '\(path)': \(reason)"
    }

    init(_ path: String, _ code: Int32) {
      self.init(path, String(cString: strerror(code)))
    }
  }
}
