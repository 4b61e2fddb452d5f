import CooperativeCancellation
import FakeCallbackSDK
@preconcurrency import OldSDK
import Testing

// Compiled three times, by three targets: `Calls` is an actor, a `@MainActor` class, and a class
// that belongs to no actor. `sdk` is not `Sendable`, and `count()` changes the state of the object,
// and asserts the isolation.

typealias Body<Value> = nonisolated(nonsending) () async throws -> Value

nonisolated(nonsending) private func expectUser(_ id: String, _ body: Body<User>) async throws {
  try await expectText(id) { try await body().id }
}

nonisolated(nonsending) private func expectFound(_ id: String, _ body: Body<User?>) async throws {
  try await expectText(id) { try await body()?.id ?? "nil" }
}

nonisolated(nonsending) private func expectTwo(
  _ id: String,
  _ body: Body<(User, User)>
) async throws {
  try await expectText(id) { try await body().1.id }
}

nonisolated(nonsending) private func expectDone(_ body: Body<Void>) async throws {
  try await expectText("") {
    try await body()
    return ""
  }
}

/// Expects that text, or in a cancelled task a cancellation.
nonisolated(nonsending) private func expectText(
  _ text: String,
  _ body: Body<String>
) async throws {
  do {
    #expect(try await body() == (Task.isCancelled ? "cancelled" : text))
  } catch is CancellationError where Task.isCancelled {
  } catch ServiceError.cancelled where Task.isCancelled {
  }
}

extension Calls {
  func checkAll() async throws {
    try await checkResults()
    try await checkValuesAndErrors()
    try await checkOtherForms()
    try await checkConversions()
    try await checkClosures()
    try await checkRequestsInCallbacks()
    try await checkOldSDK()
    try await checkThrowingWithoutFailure()
    try await checkFallbacks()
    try await checkMappedErrors()
    try await checkUnconditional()
    #expect(calls > 0)
  }

  private func checkResults() async throws {
    try await expectUser("1") {
      try await withAsyncThrowingValue { sdk.loadUser(id: "1", completion: $0) }
    }
    try await expectUser("1") {
      try await withAsyncThrowingValue { completion in
        count()
        let request = sdk.loadUser(id: "1", completion: completion)
        return request
      } onCancel: { request in
        count()
        request.cancel()
      }
    }
    try await expectUser("1") {
      try await withAsyncThrowingValue(
        whenCancelled: .abandonCallback,
        timeout: .seconds(3600),
        in: { completion in sdk.loadUser(id: "1", completion: completion) },
        onCancel: { $0.cancel() },
        onDiscard: { print($0.id) }
      )
    }
    try await expectUser("typed") { try await withAsyncThrowingValue { sdk.typedUser($0) } }
    try await expectUser("typed") { try await withAsyncThrowingValue(in: sdk.typedUser) }
    // A continuation calls the SDK in a cancelled task, too. An answer that comes first is
    // delivered.
    do {
      let session = try await withCancellableThrowingContinuation { continuation in
        sdk.openSession { continuation.resume(with: $0) }
      }
      #expect(session.user.id == "session")
    } catch is CancellationError where Task.isCancelled {
    }
  }

  private func checkValuesAndErrors() async throws {
    try await expectUser("maybe") { try await withAsyncThrowingValue { sdk.maybeUser($0) } }
    try await expectUser("maybe") { try await withAsyncThrowingValue(in: sdk.maybeUser) }
    try await expectFound("maybe") { try await withAsyncThrowingValue { sdk.maybeUser($0) } }
    try await expectFound("maybe") { try await withAsyncThrowingValue(in: sdk.maybeUser) }
    try await expectText("maybe") {
      try await withAsyncThrowingValue { sdk.maybeUser($0) }?.id ?? ""
    }
    try await expectTwo("pair") { try await withAsyncThrowingValue { sdk.userAndFriend($0) } }
    try await expectTwo("pair") { try await withAsyncThrowingValue(in: sdk.userAndFriend) }
  }

  private func checkOtherForms() async throws {
    try await expectText("true") {
      "\(try await withAsyncThrowingValue { sdk.isPremium($0) } as Bool)"
    }
    try await expectText("true") {
      "\(try await withAsyncThrowingValue(in: sdk.isPremium) as Bool)"
    }
    try await expectDone { try await withAsyncThrowingValue { sdk.save($0) } }
    try await expectDone { try await withAsyncThrowingValue(in: sdk.save) }
    try await expectDone { try await withAsyncThrowingValue { sdk.rename($0) } }
  }

  private func checkConversions() async throws {
    try await expectText("1") {
      try await withAsyncThrowingValue { completion in
        sdk.loadUser(id: "1") { result in
          completion(result.map(\.id))
        }
      }
    }
    try await expectText("1") {
      try await withAsyncThrowingValue { completion in
        sdk.loadUser(id: "1") { result in
          switch result {
          case .success(let user): completion(.success(user.id))
          case .failure(let error): completion(.failure(error))
          }
        }
      }
    }
  }

  private func checkClosures() async throws {
    try await expectUser("signed in") {
      try await withAsyncThrowingValue { success, failure in
        sdk.signIn(success: success, failure: failure)
      }
    }
    try await expectUser("signed in") {
      try await withAsyncThrowingValue { success, failure in
        sdk.signIn(success: success, failure: failure, cancelled: { failure(CancellationError()) })
      }
    }
    try await expectDone {
      try await withAsyncThrowingValue { sdk.signOut(success: $0, failure: $1) }
    }
    try await expectUser("unlocked") {
      try await withAsyncThrowingValue { success, failure in
        sdk.unlock(success: success, failure: { failure(nil) })
      }
    }
  }

  private func checkRequestsInCallbacks() async throws {
    try await expectUser("uploaded") {
      try await withAsyncThrowingValue { completion in
        count()
        let request = LateRequest { arrived in
          count()
          sdk.upload(requestHandler: { @Sendable in arrived($0) }, completion: completion)
        }
        return request
      } onCancel: {
        count()
        $0.cancel { $0.cancel() }
      }
    }
  }

  /// A request that is not `Sendable`, from an SDK from before Swift 6 that says nothing about
  /// threads.
  private func checkOldSDK() async throws {
    try await expectText("4") {
      let sdk = OldUploader()
      let length: Int = try await withAsyncThrowingValue { completion in
        count()
        return LateRequest { arrived in
          sdk.upload("file", taskHandler: { @Sendable in arrived($0) }, completion: completion)
        }
      } onCancel: {
        $0.cancel { @Sendable in $0.cancel() }
      }
      return "\(length)"
    }
  }

  /// SDKs that cannot fail, in waits that can be cancelled.
  private func checkThrowingWithoutFailure() async throws {
    try await expectUser("me") { try await withAsyncThrowingValue { sdk.currentUser($0) } }
    try await expectUser("me") { try await withAsyncThrowingValue(in: sdk.currentUser) }
    try await expectText("me") {
      try await withAsyncThrowingValue { completion in
        sdk.currentUser { completion($0.id) }
      }
    }
    try await expectUser("cached") { try await withAsyncThrowingValue { sdk.cachedUser($0) } }
    try await expectText("pair 1 4 3") {
      let four = try await withAsyncThrowingValue { completion in
        sdk.hostAndGuest { completion(($0.id, 1, $1.id.count, 3)) }
      }
      return "\(four.0) \(four.1) \(four.2) \(four.3)"
    }
    try await expectDone { try await withAsyncThrowingValue { sdk.flush($0) } }
    try await expectDone { try await withAsyncThrowingValue(in: sdk.flush) }
  }

  private func checkFallbacks() async throws {
    try await expectText("me") {
      await withAsyncValue(fallback: "cancelled") { completion in
        sdk.currentUser { completion($0.id) }
      }
    }
    try await expectText("pair") {
      await withAsyncValue(fallback: ("", "cancelled")) { completion in
        sdk.hostAndGuest { completion(($0.id, $1.id)) }
      }.1
    }
    try await expectText("flushed") {
      await withAsyncValue(fallback: ()) { sdk.flush($0) }
      return Task.isCancelled ? "cancelled" : "flushed"
    }
  }

  /// Services with an error type of their own.
  private func checkMappedErrors() async throws {
    try await expectUser("typed") {
      try await mappingErrors(to: ServiceError.unexpected, cancellation: .cancelled) {
        try await withAsyncThrowingValue { sdk.typedUser($0) }
      }
    }
    try await expectDone {
      try await mappingErrors(to: ServiceError.unexpected) {
        try await withAsyncThrowingValue { sdk.save($0) }
      }
    }
    try await expectFound("maybe") {
      let result: Result<User?, ServiceError> = await Result(
        mappingErrorsTo: { .unexpected($0) },
        cancellation: .cancelled
      ) {
        try await withAsyncThrowingValue { sdk.maybeUser($0) }
      }
      return try result.get()
    }
  }

  /// Waits that only the SDK ends.
  private func checkUnconditional() async throws {
    let user = await withAsyncValue { sdk.currentUser($0) }
    let sameUser = await withAsyncValue(in: sdk.currentUser)
    #expect(user.id == "me" && sameUser.id == "me")
    await withAsyncValue { sdk.flush($0) }
    await withAsyncValue { completion in
      count()
      return sdk.flush(completion)
    }
    let cached = await withAsyncValue { sdk.cachedUser($0) }
    #expect(cached.id == "cached")
    let isCached = await withAsyncValue { completion in completion(.success(true)) }
    #expect(isCached)
    await withAsyncValue { completion in sdk.flush { completion(.success) } }
  }
}

enum ServiceError: Error {
  case cancelled
  case unexpected(any Error)
}

@Suite("Call sites") struct CallSiteTests {
  @Test func `each gives what the SDK reports`() async throws {
    try await Calls(Backend(.later)).checkAll()
  }

  @Test func `in a cancelled task, each that can be cancelled says so`() async throws {
    try await Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await Calls(Backend(.later)).checkAll()
    }.value
  }
}
