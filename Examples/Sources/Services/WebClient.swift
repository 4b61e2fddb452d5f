import AsyncHTTPClient
import CooperativeCancellation
import NIOCore

/// Requests with an AsyncHTTPClient delegate, which the client's own async methods do not accept.
///
/// A cancellation closes the connection.
struct WebClient: Sendable {
  let client: HTTPClient

  func execute<Delegate: HTTPClientResponseDelegate>(
    _ request: HTTPClient.Request,
    delegate: Delegate
  ) async throws -> Delegate.Response {
    try await withAsyncThrowingValue { completion in
      let task = client.execute(request: request, delegate: delegate)
      task.futureResult.whenComplete(completion)
      return task
    } onCancel: {
      $0.cancel()
    }
  }

  func get(_ url: String) async throws -> HTTPClient.Response {
    let request = try HTTPClient.Request(url: url)
    return try await execute(request, delegate: ResponseAccumulator(request: request))
  }

  /// - Parameter onProgress: Receives the number of received bytes, on an event loop.
  func download(
    _ url: String,
    to path: String,
    onProgress: @escaping @Sendable (Int) -> Void
  ) async throws {
    let delegate = try FileDownloadDelegate(
      path: path,
      reportProgress: { onProgress($0.receivedBytes) }
    )
    _ = try await execute(HTTPClient.Request(url: url), delegate: delegate)
  }

  func shutDown() async throws {
    try await withAsyncThrowingValue { client.shutdown($0) }
  }
}
