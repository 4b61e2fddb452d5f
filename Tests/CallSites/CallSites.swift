import CooperativeCancellation
import FakeCallbackSDK
@preconcurrency import OldSDK
import Testing

// Compiled three times, by three targets: `Calls` is an actor, a `@MainActor` class, and a class that belongs to no
// actor. `sdk` is not `Sendable`, and `count()` changes the state of the object, and asserts the isolation.

/// Goes through the call sites, and calls some of them.
struct CallSiteList {
  typealias Body<Value> = nonisolated(nonsending) () async throws -> Value

  enum Purpose: Equatable {
    case count
    case checkAll
    case run(Int)
  }

  let purpose: Purpose
  private var count = 0
  /// Those that a cancellation ends.
  private(set) var cancellable: [Int] = []
  /// What the one that was to run gave.
  private(set) var ending: String?

  init(_ purpose: Purpose) {
    self.purpose = purpose
  }

  nonisolated(nonsending) mutating func user(_ id: String, _ body: Body<User>) async throws {
    try await text(id) { try await body().id }
  }

  nonisolated(nonsending) mutating func found(_ id: String, _ body: Body<User?>) async throws {
    try await text(id) { try await body()?.id ?? "nil" }
  }

  nonisolated(nonsending) mutating func two(_ id: String, _ body: Body<(User, User)>) async throws {
    try await text(id) { try await body().1.id }
  }

  nonisolated(nonsending) mutating func done(_ body: Body<Void>) async throws {
    try await text("") {
      try await body()
      return ""
    }
  }

  nonisolated(nonsending) mutating func text(
    _ text: String,
    _ body: Body<String>
  ) async throws {
    cancellable.append(count)
    try await unconditional(text, body)
  }

  nonisolated(nonsending) mutating func unconditional(
    _ text: String,
    _ body: Body<String>
  ) async throws {
    switch purpose {
    case .checkAll: #expect(try await body() == text)
    case .run(count): ending = try await body()
    case .count, .run: break
    }
    count += 1
  }
}

extension Calls {
  func goThrough(_ list: inout CallSiteList) async throws {
    try await addResults(to: &list)
    try await addValuesAndErrors(to: &list)
    try await addOtherForms(to: &list)
    try await addConversions(to: &list)
    try await addClosures(to: &list)
    try await addRequestsInCallbacks(to: &list)
    try await addOldSDK(to: &list)
    try await addThrowingWithoutFailure(to: &list)
    try await addFallbacks(to: &list)
    try await addMappedErrors(to: &list)
    try await addUnconditional(to: &list)
  }

  private func addResults(to list: inout CallSiteList) async throws {
    try await list.user("1") {
      try await withAsyncThrowingValue { sdk.loadUser(id: "1", completion: $0) }
    }
    try await list.user("1") {
      try await withAsyncThrowingValue { completion in
        count()
        let request = sdk.loadUser(id: "1", completion: completion)
        return request
      } onCancel: { request in
        count()
        request.cancel()
      }
    }
    try await list.user("1") {
      try await withAsyncThrowingValue { completion in
        count()
        sdk.loadUser(id: "1", completion: completion)
      }
    }
    try await list.user("1") {
      try await withAsyncThrowingValue(
        whenCancelled: .abandonCallback,
        timeout: .seconds(3600),
        in: { completion in sdk.loadUser(id: "1", completion: completion) },
        onCancel: { $0.cancel() },
        onDiscard: { print($0.id) }
      )
    }
    try await list.user("typed") { try await withAsyncThrowingValue { sdk.typedUser($0) } }
    try await list.user("typed") { try await withAsyncThrowingValue(in: sdk.typedUser) }
    try await list.text("session") {
      try await withCancellableThrowingContinuation { continuation in
        sdk.openSession { continuation.resume(with: $0) }
      }.user.id
    }
  }

  private func addValuesAndErrors(to list: inout CallSiteList) async throws {
    try await list.user("maybe") { try await withAsyncThrowingValue { sdk.maybeUser($0) } }
    try await list.user("maybe") { try await withAsyncThrowingValue(in: sdk.maybeUser) }
    try await list.user("maybe") {
      try await withAsyncThrowingValue { completion in
        count()
        return sdk.maybeUser(completion)
      } onCancel: {
        $0.cancel()
      }
    }
    try await list.user("maybe") {
      try await withAsyncThrowingValue { completion in
        count()
        sdk.maybeUser(completion)
      }
    }
    try await list.found("maybe") { try await withAsyncThrowingValue { sdk.maybeUser($0) } }
    try await list.found("maybe") { try await withAsyncThrowingValue(in: sdk.maybeUser) }
    try await list.found("maybe") {
      try await withAsyncThrowingValue { completion in
        count()
        return sdk.maybeUser(completion)
      } onCancel: {
        $0.cancel()
      }
    }
    try await list.text("maybe") {
      guard let user = try await withAsyncThrowingValue(in: { sdk.maybeUser($0) }) else {
        return ""
      }
      return user.id
    }
    try await list.text("maybe") {
      try await withAsyncThrowingValue { sdk.maybeUser($0) }?.id ?? ""
    }
    try await list.text("maybe") {
      let user = try await withAsyncThrowingValue { sdk.maybeUser($0) }
      return user.id
    }
    try await list.two("pair") { try await withAsyncThrowingValue { sdk.userAndFriend($0) } }
    try await list.two("pair") { try await withAsyncThrowingValue(in: sdk.userAndFriend) }
    try await list.two("pair") {
      try await withAsyncThrowingValue { completion in
        count()
        return sdk.userAndFriend(completion)
      } onCancel: {
        $0.cancel()
      }
    }
  }

  private func addOtherForms(to list: inout CallSiteList) async throws {
    try await list.text("true") {
      "\(try await withAsyncThrowingValue { sdk.isPremium($0) } as Bool)"
    }
    try await list.text("true") { "\(try await withAsyncThrowingValue(in: sdk.isPremium) as Bool)" }
    try await list.text("true") {
      let isPremium = try await withAsyncThrowingValue { completion in
        count()
        return sdk.isPremium(completion)
      } onCancel: {
        $0.cancel()
      }
      return isPremium ? "true" : "false"
    }
    try await list.done { try await withAsyncThrowingValue { sdk.save($0) } }
    try await list.done { try await withAsyncThrowingValue(in: sdk.save) }
    try await list.done {
      try await withAsyncThrowingValue { completion in
        count()
        return sdk.save(completion)
      } onCancel: {
        $0.cancel()
      }
    }
    try await list.done { try await withAsyncThrowingValue { sdk.rename($0) } }
  }

  private func addConversions(to list: inout CallSiteList) async throws {
    try await list.text("1") {
      try await withAsyncThrowingValue { completion in
        sdk.loadUser(id: "1") { result in
          completion(result.map(\.id))
        }
      }
    }
    try await list.text("1") {
      try await withAsyncThrowingValue { completion in
        sdk.loadUser(id: "1") { result in
          switch result {
          case .success(let user): completion(.success(user.id))
          case .failure(let error): completion(.failure(error))
          }
        }
      }
    }
    try await list.done {
      try await withAsyncThrowingValue { completion in
        sdk.typedUser { result in
          switch result {
          case .success: completion(.success)
          case .failure(let error): completion(.failure(error))
          }
        }
      }
    }
    try await list.done {
      count()
      try await withAsyncThrowingValue { completion in
        sdk.save { error in
          if let error { completion(.failure(error)) } else { completion(.success(())) }
        }
      }
      count()
    }
  }

  private func addClosures(to list: inout CallSiteList) async throws {
    try await list.user("signed in") {
      try await withAsyncThrowingValue { success, failure in
        sdk.signIn(success: success, failure: failure)
      }
    }
    try await list.user("signed in") {
      try await withAsyncThrowingValue {
        sdk.signIn(success: $0, failure: $1)
      } onCancel: {
        $0.cancel()
      }
    }
    try await list.text("signed in") {
      try await withAsyncThrowingValue { success, failure in
        sdk.signIn(success: { success($0.id) }, failure: failure)
      }
    }
    try await list.user("signed in") {
      try await withAsyncThrowingValue { success, failure in
        sdk.signIn(success: success, failure: failure, cancelled: { failure(CancellationError()) })
      }
    }
    try await list.done {
      try await withAsyncThrowingValue { sdk.signOut(success: $0, failure: $1) }
    }
    try await list.done {
      try await withAsyncThrowingValue { success, failure in
        count()
        return sdk.signOut(success: { success() }, failure: { failure($0) })
      } onCancel: {
        $0.cancel()
      }
    }
    try await list.user("unlocked") {
      try await withAsyncThrowingValue { success, failure in
        sdk.unlock(success: success, failure: { failure(nil) })
      }
    }
  }

  private func addRequestsInCallbacks(to list: inout CallSiteList) async throws {
    try await list.user("uploaded") {
      try await withAsyncThrowingValue { completion in
        LateRequest(cancel: { $0.cancel() }) { arrived in
          sdk.upload(requestHandler: arrived, completion: completion)
        }
      } onCancel: {
        $0.cancel()
      }
    }
    try await list.user("uploaded") {
      try await withAsyncThrowingValue { completion in
        count()
        let request = LateRequest(cancel: { $0.cancel() }) { arrived in
          count()
          sdk.upload(requestHandler: { @Sendable in arrived($0) }, completion: completion)
        }
        return request
      } onCancel: {
        count()
        $0.cancel()
      }
    }
    try await list.text("uploaded") {
      await withAsyncValue(fallback: "cancelled") { completion in
        LateRequest(cancel: { $0.cancel() }) {
          sdk.upload(requestHandler: $0) { @Sendable in completion((try? $0.get().id) ?? "") }
        }
      } onCancel: {
        $0.cancel()
      }
    }
  }

  /// A request that is not `Sendable`, from an SDK from before Swift 6 that says nothing about threads.
  private func addOldSDK(to list: inout CallSiteList) async throws {
    try await list.unconditional("4") {
      let sdk = OldUploader()
      let length: Int = try await withAsyncThrowingValue { completion in
        count()
        return LateRequest(cancel: { $0.cancel() }) { arrived in
          sdk.upload("file", taskHandler: { @Sendable in arrived($0) }, completion: completion)
        }
      } onCancel: {
        $0.cancel()
      }
      return "\(length)"
    }
  }

  /// SDKs that cannot fail, in waits that can be cancelled.
  private func addThrowingWithoutFailure(to list: inout CallSiteList) async throws {
    try await list.user("me") { try await withAsyncThrowingValue { sdk.currentUser($0) } }
    try await list.user("me") { try await withAsyncThrowingValue(in: sdk.currentUser) }
    try await list.user("me") {
      try await withAsyncThrowingValue { completion in
        count()
        return sdk.currentUser(completion)
      } onCancel: {
        $0.cancel()
      }
    }
    try await list.text("me") {
      try await withAsyncThrowingValue { completion in
        sdk.currentUser { completion($0.id) }
      }
    }
    try await list.user("cached") { try await withAsyncThrowingValue { sdk.cachedUser($0) } }
    try await list.two("pair") { try await withAsyncThrowingValue { sdk.hostAndGuest($0) } }
    try await list.two("pair") { try await withAsyncThrowingValue(in: sdk.hostAndGuest) }
    try await list.text("pair 1 4 3") {
      let four = try await withAsyncThrowingValue { completion in
        sdk.hostAndGuest { completion(($0.id, 1, $1.id.count, 3)) }
      }
      return "\(four.0) \(four.1) \(four.2) \(four.3)"
    }
    try await list.done { try await withAsyncThrowingValue { sdk.flush($0) } }
    try await list.done { try await withAsyncThrowingValue(in: sdk.flush) }
    try await list.done {
      try await withAsyncThrowingValue(timeout: .seconds(3600)) { completion in
        count()
        return sdk.flush { completion() }
      } onCancel: {
        $0.cancel()
      }
    }
  }

  private func addFallbacks(to list: inout CallSiteList) async throws {
    try await list.text("me") {
      await withAsyncValue(fallback: "cancelled") { completion in
        sdk.currentUser { completion($0.id) }
      }
    }
    try await list.text("pair") {
      await withAsyncValue(fallback: ("", "cancelled")) { completion in
        sdk.hostAndGuest { completion($0.id, $1.id) }
      }.1
    }
    try await list.text("8") {
      let count = await withAsyncValue(fallback: 0, timeout: .seconds(3600)) { completion in
        sdk.hostAndGuest { completion($0.id.count + $1.id.count) }
      } onCancel: {
        $0.cancel()
      }
      return count == 0 ? "cancelled" : "\(count)"
    }
    try await list.text("flushed") {
      await withAsyncValue(fallback: ()) { sdk.flush($0) }
      return Task.isCancelled ? "cancelled" : "flushed"
    }
  }

  /// Services with an error type of their own.
  private func addMappedErrors(to list: inout CallSiteList) async throws {
    try await list.user("typed") {
      try await mappingErrors(to: ServiceError.unexpected, cancellation: .cancelled) {
        try await withAsyncThrowingValue { sdk.typedUser($0) }
      }
    }
    try await list.done {
      try await mappingErrors(to: ServiceError.unexpected) {
        try await withAsyncThrowingValue { sdk.save($0) }
      }
    }
    try await list.found("maybe") {
      let result: Result<User?, ServiceError> = await Result(
        mappingErrorsTo: { .unexpected($0) },
        cancellation: .cancelled
      ) {
        try await withAsyncThrowingValue { sdk.maybeUser($0) }
      }
      return try result.get()
    }
    try await list.two("pair") {
      try await mappingErrors(to: ServiceError.unexpected, cancellation: .cancelled) {
        count()
        let (user, friend) = try await withAsyncThrowingValue { sdk.userAndFriend($0) }
        count()
        return (user, friend)
      }
    }
  }

  /// Waits that only the SDK ends.
  private func addUnconditional(to list: inout CallSiteList) async throws {
    try await list.unconditional("me") { await withAsyncValue { sdk.currentUser($0) }.id }
    try await list.unconditional("me") { await withAsyncValue(in: sdk.currentUser).id }
    try await list.unconditional("me") {
      await withAsyncValue { completion in
        count()
        return sdk.currentUser(completion)
      }.id
    }
    try await list.unconditional("") {
      await withAsyncValue { sdk.flush($0) }
      return ""
    }
    try await list.unconditional("") {
      await withAsyncValue { completion in
        count()
        return sdk.flush(completion)
      }
      return ""
    }
    try await list.unconditional("cached") { await withAsyncValue { sdk.cachedUser($0) }.id }
    try await list.unconditional("true") {
      let isCached = await withAsyncValue { completion in completion(.success(true)) }
      return "\(isCached)"
    }
    try await list.unconditional("") {
      await withAsyncValue { completion in sdk.flush { completion(.success) } }
      return ""
    }
  }
}

enum ServiceError: Error {
  case cancelled
  case unexpected(any Error)
}

@Suite("Call sites")
struct CallSiteTests {
  @Test
  func `each gives what the SDK reports`() async throws {
    try await Calls(Backend(.later)).checkAll()
  }

  @Test
  func `a cancellation ends each that can be cancelled`() async throws {
    for number in try await Calls(Backend(.never)).cancellableSites() {
      await Task {
        let backend = Backend(.never)
        backend.hooks.withLock { $0.whenCalled = { withUnsafeCurrentTask { $0?.cancel() } } }
        await Calls(backend).checkCancellation(ofSite: number)
      }.value
    }
  }
}

extension Calls {
  func cancellableSites() async throws -> [Int] {
    var list = CallSiteList(.count)
    try await goThrough(&list)
    return list.cancellable
  }

  /// Each gives what the SDK reports.
  func checkAll() async throws {
    var list = CallSiteList(.checkAll)
    try await goThrough(&list)
    #expect(calls > 0)
  }

  /// Ends a call that its task cancels while the SDK works. Most leave out `onCancel` and `onDiscard`.
  func checkCancellation(ofSite number: Int) async {
    var list = CallSiteList(.run(number))
    var ending: String?
    do {
      try await goThrough(&list)
      ending = list.ending
    } catch is CancellationError {
      ending = "cancelled"
    } catch ServiceError.cancelled {
      ending = "cancelled"
    } catch {
      ending = "\(error)"
    }
    #expect(ending == "cancelled", "call site \(number)")
  }
}
