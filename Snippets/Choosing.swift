// Each shape of completion, and which error means cancelled: the code of the page "Choosing what to call".

import CooperativeCancellation
import Dispatch
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

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
  private let service: Service
  private var posts: [String] = []
  private var message: String?

  init(answer: Result<[String], any Error>?) {
    service = Service(sdk: FeedSDK(answer: answer))
  }

  func show(_ name: String) async {
    await refresh()
    print("\(name): \(posts), \(message ?? "no message")")
  }

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
  private let sdk: FeedSDK

  init(sdk: FeedSDK) { self.sdk = sdk }

  func posts() async throws -> [String] {
    do {
      return try await loadPosts()
    } catch let error as URLError where error.code == .cancelled {
      throw CancellationError()
    }
  }

  private func loadPosts() async throws -> [String] {
    try await withAsyncThrowingValue(timeout: .seconds(1)) { completion in
      sdk.load(completion)
    } onCancel: { request in
      request.cancel()
    }
  }
}

let album = Album()
print("cannot fail:", try await album.size(), "bytes")
print("without an error:", await album.sizeOrZero(), await album.sizeInAnyCase(), "bytes")
try await album.flush()
try await album.signOut()
print("closures:", try await album.signIn().name)
print("a returned result:", await album.profile(1))
try await album.delete(1)
try await album.update(1)
do {
  try await album.rename(to: "Sea")
} catch {
  switch error {
  case .cancelled: break
  case .notFound, .other: print("a typed error:", error)
  }
}

await Feed(answer: .success(["Hello"])).show("answered")
await Feed(answer: .failure(URLError(.timedOut))).show("failed")
await Feed(answer: .failure(URLError(.cancelled))).show("cancelled by others")
await Feed(answer: nil).show("timed out")
let task = Task { await Feed(answer: nil).show("cancelled") }
await Task.yield()
task.cancel()
await task.value

// MARK: - SDKs that cannot be changed

typealias Handler<Value, Failure: Error> = @Sendable (Result<Value, Failure>) -> Void

struct Profile: Sendable { let name = "Ann" }

enum AlbumError: Error {
  case cancelled
  case notFound
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

  func profile(_ id: Int, completion: @escaping Handler<Profile, AlbumError>) {
    completion(.success(Profile()))
  }

  func delete(_ id: Int, completion: @escaping @Sendable ((any Error)?) -> Void) { completion(nil) }

  func rename(to name: String, completion: @escaping @Sendable ((any Error)?) -> Void)
    -> DispatchWorkItem
  {
    completion(AlbumError.notFound)
    return DispatchWorkItem {}
  }
}

struct FeedSDK {
  /// `nil` for none.
  let answer: Result<[String], any Error>?

  func load(_ completion: @escaping Handler<[String], any Error>) -> Request {
    if let answer { DispatchQueue.global().async { completion(answer) } }
    return Request { completion(.failure(URLError(.cancelled))) }
  }

  struct Request {
    let cancel: () -> Void
  }
}
