// The code of the page "Choosing".

import CooperativeCancellation
import Foundation

@MainActor
final class Album {
  let sdk = AlbumSDK()

  func size() async throws -> Int {
    try await withAsyncThrowingValue { sdk.measure($0) }
  }

  func flush() async throws {
    try await withAsyncThrowingValue(timeout: .seconds(5)) { sdk.flush($0) }
  }

  func sizeOrZero() async -> Int {
    await withAsyncValue(fallback: 0) { sdk.measure($0) }
  }

  func sizeInAnyCase() async -> Int {
    await withAsyncValue(whenCancelled: .ignoreCancellation) { sdk.measure($0) }
  }

  func close() async throws {
    try await withAsyncThrowingValue(whenCancelled: .ignoreCancellation, timeout: .seconds(5)) {
      sdk.close($0)
    }
  }

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

  func update(_ id: Int) async throws {
    try await mappingErrors(cancellation: AlbumError.cancelled) {
      try await withAsyncThrowingValue { sdk.delete(id, completion: $0) }
    }
  }

  func rename(to name: String) async throws(AlbumError) {
    try await mappingErrors(to: AlbumError.other, cancellation: .cancelled) {
      try await withAsyncThrowingValue {
        sdk.rename(to: name, completion: $0)
      } onCancel: { request in
        request.cancel()
      }
    }
  }

  func profile(_ id: Int) async -> Result<Profile, AlbumError> {
    await Result(mappingErrorsTo: AlbumError.other, cancellation: .cancelled) {
      try await withAsyncThrowingValue { sdk.profile(id, completion: $0) }
    }
  }

  func delete(_ id: Int) async throws {
    try await mappingErrors(to: AlbumError.other) {
      try await withAsyncThrowingValue { sdk.delete(id, completion: $0) }
    }
  }
}

@MainActor
final class Feed {
  private let service = Service()
  private var posts: [String] = []
  private var message: String?

  func refresh() async {
    do {
      posts = try await service.posts()
    } catch is CancellationError {
      // Cancelled, because the screen is gone: there is nothing to show.
    } catch is TimeoutError {
      message = "This is taking too long. Try later."
    } catch {
      message = "The posts could not be loaded: \(error)"
    }
  }
}

@MainActor
final class Service {
  func posts() async throws -> [String] {
    do {
      return try await loadPosts()
    } catch let error as URLError where error.code == .cancelled {
      throw CancellationError()
    }
  }

  private func loadPosts() async throws -> [String] { [] }
}

// MARK: - SDKs that cannot be changed

struct Profile: Sendable {}

enum AlbumError: Error {
  case cancelled
  case other(any Error)
}

final class AlbumSDK {
  func measure(_ completion: @escaping @Sendable (Int) -> Void) { completion(1_024) }

  func flush(_ completion: @escaping @Sendable () -> Void) { completion() }
  func close(_ completion: @escaping @Sendable ((any Error)?) -> Void) { completion(nil) }

  func signOut(
    success: @escaping @Sendable () -> Void,
    failure: @escaping @Sendable ((any Error)?) -> Void
  ) { success() }

  func signIn(
    onSuccess: @escaping @Sendable (Profile) -> Void,
    onFailure: @escaping @Sendable () -> Void,
    onClosed: @escaping @Sendable () -> Void
  ) { onSuccess(Profile()) }

  func profile(_ id: Int, completion: @escaping @Sendable (Result<Profile, AlbumError>) -> Void) {
    completion(.success(Profile()))
  }

  func delete(_ id: Int, completion: @escaping @Sendable ((any Error)?) -> Void) { completion(nil) }

  func rename(to name: String, completion: @escaping @Sendable ((any Error)?) -> Void) -> Request {
    completion(nil)
    return Request()
  }

  struct Request {
    func cancel() {}
  }
}
