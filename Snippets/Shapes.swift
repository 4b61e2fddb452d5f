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

  // snippet.maperror
  init(_ error: any Error) {
    switch error {
    case let error as AlbumError: self = error
    case is CancellationError: self = .cancelled
    default: self = .other(error)
    }
  }
  // snippet.end
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

  // snippet.closures
  func signOut() async throws {
    try await withAsyncThrowingValue { sdk.signOut(success: $0, failure: $1) }
  }

  func signIn() async throws -> Profile {
    try await withAsyncThrowingValue { sdk.signIn(onSuccess: $0, onFailure: $1, onDisposed: $2) }
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

  // snippet.returned
  func profile(_ id: Int) async -> Result<Profile, AlbumError> {
    await withAsyncResult(mapError: AlbumError.init) { sdk.profile(id, completion: $0) }
  }
  // snippet.end

  // snippet.typed
  func rename(to name: String) async throws(AlbumError) {
    try await withAsyncResult(mapError: AlbumError.init) {
      sdk.rename(to: name, completion: $0)
    } onCancel: { request in
      request.cancel()
    }.get()
  }
  // snippet.end
}

let album = Album()
print("cannot fail:", try await album.size(), "bytes")
try await album.flush()
try await album.signOut()
print("closures:", try await album.signIn().name)
print("four values:", try await album.place().name)
print("a returned result:", await album.profile(1))
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
    onFailure: @escaping @Sendable (any Error) -> Void,
    onDisposed: @escaping @Sendable () -> Void
  ) {
    DispatchQueue.global().async {
      onSuccess(Profile())
      onDisposed()
    }
  }

  func place(_ completion: @escaping @Sendable (Double, Double, String, Int) -> Void) {
    DispatchQueue.global().async { completion(59.3, 18.1, "Stockholm", 1) }
  }

  func profile(_ id: Int, completion: @escaping @Sendable (Result<Profile, AlbumError>) -> Void) {
    DispatchQueue.global().async { completion(.success(Profile())) }
  }

  func rename(to name: String, completion: @escaping @Sendable ((any Error)?) -> Void)
    -> DispatchWorkItem
  {
    let request = DispatchWorkItem { completion(name == "taken" ? AlbumError.notFound : nil) }
    DispatchQueue.global().async(execute: request)
    return request
  }
}
