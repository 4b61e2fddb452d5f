// Completions of every shape: what the SDK calls, and the one statement that waits for it.

import CooperativeCancellation
import Dispatch

struct Profile: Sendable {
  var name = "Ann"
}

enum AlbumError: Error {
  case cancelled
  case notFound
  case other(any Error)
}

@MainActor
final class Album {
  let sdk = AlbumSDK()

  // snippet.never
  func size() async throws -> Int {
    try await withAsyncThrowingValue { sdk.measure($0) }
  }

  func flush() async throws {
    try await withAsyncThrowingValue(timeout: .seconds(5)) { sdk.flush($0) }
  }
  // snippet.end

  // snippet.fallback
  func sizeOrZero() async -> Int {
    await withAsyncValue(fallback: 0) { sdk.measure($0) }
  }
  // snippet.end

  func sizeInAnyCase() async -> Int {
    await withAsyncValue { sdk.measure($0) }
  }

  // snippet.closures
  func signOut() async throws {
    try await withAsyncThrowingValue { sdk.signOut(success: $0, failure: $1) }
  }

  func signIn() async throws -> Profile {
    try await withAsyncThrowingValue { success, failure in
      sdk.signIn(
        onSuccess: success,
        onFailure: { @Sendable in failure(nil) },
        onClosed: { @Sendable in failure(CancellationError()) }
      )
    }
  }
  // snippet.end

  // snippet.many
  func place() async throws -> (latitude: Double, longitude: Double, name: String, zone: Int) {
    try await withAsyncThrowingValue { completion in
      sdk.place { @Sendable latitude, longitude, name, zone in
        completion((latitude, longitude, name, zone))
      }
    }
  }
  // snippet.end

  // snippet.typed
  func rename(to name: String) async throws(AlbumError) {
    try await mappingErrors(to: AlbumError.other, cancellation: .cancelled) {
      try await withAsyncThrowingValue {
        sdk.rename(to: name, completion: $0)
      } onCancel: { request in
        request.cancel()
      }
    }
  }
  // snippet.end

  // snippet.returned
  func profile(_ id: Int) async -> Result<Profile, AlbumError> {
    await Result(mappingErrorsTo: AlbumError.other, cancellation: .cancelled) {
      try await withAsyncThrowingValue { sdk.profile(id, completion: $0) }
    }
  }
  // snippet.end

  // snippet.untyped
  func delete(_ id: Int) async throws {
    try await mappingErrors(to: AlbumError.other) {
      try await withAsyncThrowingValue { sdk.delete(id, completion: $0) }
    }
  }
  // snippet.end
}

let album = Album()
print("cannot fail:", try await album.size(), "bytes")
print("without an error:", await album.sizeOrZero(), await album.sizeInAnyCase(), "bytes")
try await album.flush()
try await album.signOut()
print("closures:", try await album.signIn().name)
print("four values:", try await album.place().name)
print("a returned result:", await album.profile(1))
try await album.delete(1)
do {
  try await album.rename(to: "taken")
} catch {
  switch error {
  case .cancelled: break
  case .notFound, .other: print("a typed error:", error)
  }
}

// snippet.hide

final class AlbumSDK {
  func measure(_ completion: @escaping @Sendable (Int) -> Void) {
    DispatchQueue.global().async { completion(1_024) }
  }

  func flush(_ completion: @escaping @Sendable () -> Void) {
    DispatchQueue.global().async { completion() }
  }

  func signOut(
    success: @escaping @Sendable () -> Void,
    failure: @escaping @Sendable ((any Error)?) -> Void
  ) {
    DispatchQueue.global().async { success() }
  }

  func signIn(
    onSuccess: @escaping @Sendable (Profile) -> Void,
    onFailure: @escaping @Sendable () -> Void,
    onClosed: @escaping @Sendable () -> Void
  ) {
    DispatchQueue.global().async { onSuccess(Profile()) }
  }

  func place(_ completion: @escaping @Sendable (Double, Double, String, Int) -> Void) {
    DispatchQueue.global().async { completion(59.3, 18.1, "Stockholm", 1) }
  }

  func profile(_ id: Int, completion: @escaping @Sendable (Result<Profile, AlbumError>) -> Void) {
    DispatchQueue.global().async { completion(.success(Profile())) }
  }

  func delete(_ id: Int, completion: @escaping @Sendable ((any Error)?) -> Void) {
    DispatchQueue.global().async { completion(nil) }
  }

  func rename(to name: String, completion: @escaping @Sendable ((any Error)?) -> Void)
    -> DispatchWorkItem
  {
    let request = DispatchWorkItem { completion(name == "taken" ? AlbumError.notFound : nil) }
    DispatchQueue.global().async(execute: request)
    return request
  }
}
