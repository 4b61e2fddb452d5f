// Closures and values between the SDK's thread and yours: the code of the page "Crossing threads".

import CooperativeCancellation
import Dispatch

struct MissingRecord: Error {}

/// Not `Sendable`, as most objects of an SDK are not.
final class Record {
  let name: String
  init(name: String) { self.name = name }
}

final class SDK {
  func record(_ completion: @escaping (Record?, (any Error)?) -> Void) {
    nonisolated(unsafe) let completion = completion  // What an SDK from before Swift 6 does.
    DispatchQueue.global().async { completion(Record(name: "Ann"), nil) }
  }

  func newRecord(_ completion: @escaping @Sendable (sending Result<Record, any Error>) -> Void) {
    DispatchQueue.global().async { completion(.success(Record(name: "Bob"))) }
  }
}

@MainActor
final class Repository {
  let sdk = SDK()

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

  func newRecord() async throws -> sending Record {
    try await withCancellableThrowingContinuation { continuation in
      sdk.newRecord { continuation.resume(with: $0) }
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

let repository = Repository()
print(try await repository.recordName())
print(try await repository.record().name)
print(try await repository.newRecord().name)
print(try await repository.openRecord().name)
