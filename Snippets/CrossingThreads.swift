// Whatever the completion looks like.

import CooperativeCancellation
import Dispatch
import Foundation

struct User: Sendable {
  let name: String
}

/// Not `Sendable`, as most objects of an SDK are.
final class Record {
  let name: String
  init(name: String) { self.name = name }
}

final class SDK {
  func find(_ id: Int, _ completion: @escaping @Sendable (User?, (any Error)?) -> Void) {
    DispatchQueue.global().async { completion(id == 1 ? User(name: "Ann") : nil, nil) }
  }

  func record(_ completion: @escaping (Record?, (any Error)?) -> Void) {
    nonisolated(unsafe) let completion = completion  // What an SDK from before Swift 6 does.
    DispatchQueue.global().async { completion(Record(name: "Ann"), nil) }
  }

  func export(
    shouldContinue: @escaping @Sendable () -> Bool,
    completion: @escaping @Sendable (Result<Int, any Error>) -> Void
  ) {
    DispatchQueue.global().async {
      var steps = 0
      while shouldContinue(), steps < 1_000_000 { steps += 1 }
      completion(.success(steps))
    }
  }
}

@MainActor
final class Repository {
  let sdk = SDK()

  // snippet.notfound
  func find(_ id: Int) async throws -> User? {
    try await withAsyncThrowingValue { completion in
      sdk.find(id) { user, error in
        completion(error.map { .failure($0) } ?? .success(user))
      }
    }
  }
  // snippet.end

  // snippet.convert
  func recordName() async throws -> String {
    try await withAsyncThrowingValue { completion in
      sdk.record { @Sendable record, error in
        completion(record?.name, error)
      }
    }
  }
  // snippet.end

  // snippet.sending
  func record() async throws -> Record {
    try await withAsyncThrowingValue { completion in
      sdk.record { @Sendable record, error in
        if let error {
          completion(.failure(error))
        } else {
          completion(.success(Record(name: record?.name ?? "")))
        }
      }
    }
  }
  // snippet.end

  // snippet.flag
  func export() async throws -> Int {
    try await withCancellationFlag { flag in
      try await withAsyncThrowingValue(timeout: .seconds(60)) { completion in
        sdk.export(shouldContinue: { !flag.isCancelled }, completion: completion)
      } onCancel: {
        flag.cancel()
      }
    }
  }
  // snippet.end
}

let repository = Repository()
print(try await repository.find(2)?.name ?? "nobody")
print(try await repository.recordName())
print(try await repository.record().name)
print(try await repository.export())
