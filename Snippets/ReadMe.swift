// The code of the README.

import CooperativeCancellation

struct ByHand {
  let sdk = ImageSDK()

  func image(at url: String) async throws -> Image {
    try await withCheckedThrowingContinuation { continuation in
      sdk.loadImage(at: url) { image, error in
        if let error {
          continuation.resume(throwing: error)
        } else if let image {
          continuation.resume(returning: image)
        }
      }
    }
  }
}

@MainActor
final class ImageClient {
  private let sdk = ImageSDK()

  func image(at url: String) async throws -> Image {
    try await withAsyncThrowingValue { completion in
      sdk.loadImage(at: url, completion: completion)
    } onCancel: { request in
      request.cancel()  // What the closure above returned.
    }
  }
}

@MainActor
final class Turns {
  private var waiters: [CancellableContinuation<Void, any Error>] = []

  func turn() async throws {
    try await withCancellableThrowingContinuation { continuation in
      waiters.append(continuation)
    }
  }
}

nonisolated struct Image {
  let name: String
}

nonisolated struct ImageSDK {
  struct Request {
    func cancel() {}
  }

  @discardableResult
  func loadImage(
    at url: String,
    completion: @escaping @Sendable (Image?, (any Error)?) -> Void
  ) -> Request {
    completion(Image(name: url), nil)
    return Request()
  }
}

print(try await ByHand().image(at: "beach.jpeg").name)
print(try await ImageClient().image(at: "mountain.jpeg").name)
