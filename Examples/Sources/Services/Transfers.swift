import CooperativeCancellation
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Transfers through `URLSession`. A cancellation closes the connection.
struct Transfers: Sendable {
  let configuration: URLSessionConfiguration
  let session: URLSession

  init(configuration: URLSessionConfiguration = .ephemeral) {
    self.configuration = configuration
    session = URLSession(configuration: configuration)
  }

  func data(from url: URL) async throws -> (Data, URLResponse) {
    try await withAsyncThrowingValue { completion in
      let task = session.dataTask(with: url, completionHandler: completion)
      task.resume()
      return task
    } onCancel: {
      $0.cancel()
    }
  }

  /// Downloads to `file`, which must not exist. If this throws, it leaves nothing there.
  ///
  /// - Parameter onProgress: Receives the number of received bytes, on the session's queue.
  func download(
    _ url: URL,
    to file: URL,
    onProgress: @escaping @Sendable (Int64) -> Void
  ) async throws {
    _ = try await withAsyncThrowingValue(whenCancelled: .waitForCallback) { completion in
      // A task with its own completion handler reports no progress.
      let delegate = DownloadDelegate(file: file, onProgress: onProgress, completion: completion)
      let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
      session.downloadTask(with: url).resume()
      return session
    } onCancel: {
      $0.invalidateAndCancel()
    } onDiscard: {
      try? FileManager.default.removeItem(at: $0)
    }
  }
}

private final class DownloadDelegate: NSObject, URLSessionDownloadDelegate {
  private let file: URL
  private let onProgress: @Sendable (Int64) -> Void
  private let completion: @Sendable (Result<URL, any Error>) -> Void

  init(
    file: URL,
    onProgress: @escaping @Sendable (Int64) -> Void,
    completion: @escaping @Sendable (Result<URL, any Error>) -> Void
  ) {
    self.file = file
    self.onProgress = onProgress
    self.completion = completion
  }

  func urlSession(
    _ session: URLSession,
    downloadTask: URLSessionDownloadTask,
    didWriteData bytesWritten: Int64,
    totalBytesWritten: Int64,
    totalBytesExpectedToWrite: Int64
  ) {
    onProgress(totalBytesWritten)
  }

  func urlSession(
    _ session: URLSession,
    downloadTask: URLSessionDownloadTask,
    didFinishDownloadingTo location: URL
  ) {
    // Moved at once, because the session removes its file when this returns.
    completion(
      Result {
        try FileManager.default.moveItem(at: location, to: file)
        return file
      }
    )
  }

  func urlSession(
    _ session: URLSession,
    task: URLSessionTask,
    didCompleteWithError error: (any Error)?
  ) {
    if let error { completion(.failure(error)) }
    // Releases the delegate, which the session otherwise keeps.
    session.finishTasksAndInvalidate()
  }
}
