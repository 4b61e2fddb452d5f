// From a callback method to a cancellable async method.

// An SDK that cannot be changed.
import CooperativeCancellation
import Dispatch

nonisolated final class PhotoSDK {
  func loadPhoto(
    _ name: String,
    completion: @escaping @Sendable (Result<String, any Error>) -> Void
  ) -> DispatchWorkItem {
    let request = DispatchWorkItem { completion(.success("\(name).jpeg")) }
    DispatchQueue.global().asyncAfter(deadline: .now() + 0.2, execute: request)
    return request
  }
}

extension PhotoSDK {
  nonisolated(nonsending) func photo(_ name: String) async throws -> String {
    try await withAsyncThrowingValue { completion in
      loadPhoto(name, completion: completion)
    } onCancel: { request in
      request.cancel()
    }
  }
}

@MainActor
final class Album {
  private let sdk = PhotoSDK()

  func show() async throws -> String { try await sdk.photo("beach") }
}

actor Archive {
  private let sdk = PhotoSDK()

  func store() async throws -> String { try await sdk.photo("beach") }
}

let photo = try await PhotoSDK().photo("beach")
print(photo)

let task = Task { try await PhotoSDK().photo("mountain") }
task.cancel()
print(await task.result)
