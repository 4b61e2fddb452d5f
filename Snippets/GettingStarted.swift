// The code of the page "Getting started".

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

let photo = try await PhotoSDK().photo("beach")
print(photo)

let task = Task { try await PhotoSDK().photo("mountain") }
task.cancel()
print(await task.result)

// MARK: - Between the SDK's thread and yours

struct MissingRecord: Error {}

/// Not `Sendable`, as most objects of an SDK are not.
nonisolated final class Record {
  let name: String
  init(name: String) { self.name = name }
}

nonisolated final class RecordSDK {
  func record(_ completion: @escaping (Record?, (any Error)?) -> Void) {
    nonisolated(unsafe) let completion = completion  // What an SDK from before Swift 6 does.
    DispatchQueue.global().async { completion(Record(name: "Ann"), nil) }
  }
}

@MainActor
final class Repository {
  let sdk = RecordSDK()

  func recordName() async throws -> String {
    try await withAsyncThrowingValue { completion in
      sdk.record { @Sendable record, error in
        completion(record?.name, error)
      }
    }
  }

  func record() async throws -> sending Record {
    try await withCancellableThrowingContinuation { continuation in
      sdk.record { @Sendable record, error in
        if let error {
          continuation.resume(throwing: error)
        } else {
          continuation.resume(returning: Record(name: record?.name ?? ""))
        }
      }
    }
  }

  func openRecord() async throws -> sending Record {
    try await withCancellableThrowingContinuation { continuation in
      sdk.record { @Sendable record, error in
        if let record {
          nonisolated(unsafe) let record = record  // The SDK has given it away.
          continuation.resume(returning: record)
        } else {
          continuation.resume(throwing: error ?? MissingRecord())
        }
      }
    }
  }
}

_ = try await Repository().recordName()
_ = try await Repository().record()
_ = try await Repository().openRecord()
