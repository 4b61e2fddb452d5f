// The code of the README.

// snippet.use
import CooperativeCancellation

nonisolated final class ImageClient {
  private let sdk = ImageSDK()

  nonisolated(nonsending) func image(at url: String) async throws -> String {
    try await withAsyncThrowingValue { completion in
      sdk.image(at: url, completion: completion)
    } onCancel: { request in
      request.cancel()  // What the closure above returned.
    }
  }
}
// snippet.end

@MainActor
final class Screen {
  private let client = ImageClient()

  func show() async throws { print(try await client.image(at: "beach.jpeg")) }
}

actor Cache {
  private let client = ImageClient()

  func fill() async throws { print(try await client.image(at: "mountain.jpeg")) }
}

try await Screen().show()
try await Cache().fill()

/// Not `Sendable`.
nonisolated final class ImageSDK {
  struct Request {
    func cancel() {}
  }

  func image(at url: String, completion: @escaping (String?, (any Error)?) -> Void) -> Request {
    completion("the image at \(url)", nil)
    return Request()
  }
}
