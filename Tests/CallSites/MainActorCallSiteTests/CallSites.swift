import CooperativeCancellation
import FakeCallbackSDK
import Testing

// Compiled three times, by three targets: `Calls` is an actor, a `@MainActor` class, and a class that belongs to no
// actor. `sdk` is not `Sendable`, and `calls` is the state that closures change.
extension Calls {
  func resultShort() async throws -> User {
    try await withAsyncThrowingValue { sdk.loadUser(id: "1", completion: $0) }
  }

  func resultNamed() async throws -> User {
    try await withAsyncThrowingValue { completion in
      sdk.loadUser(id: "1", completion: completion)
    }
  }

  func resultMulti() async throws -> User {
    try await withAsyncThrowingValue { completion in
      calls += 1
      let request = sdk.loadUser(id: "1", completion: completion)
      return request
    } onCancel: { request in
      request.cancel()
    }
  }

  func resultVoid() async throws -> User {
    try await withAsyncThrowingValue { completion in
      calls += 1
      sdk.loadUser(id: "1", completion: completion)
    }
  }

  func typedResultShort() async throws -> User {
    try await withAsyncThrowingValue { sdk.typedUser($0) }
  }

  func typedResultNamed() async throws -> User {
    try await withAsyncThrowingValue { completion in
      sdk.typedUser(completion)
    }
  }

  func typedResultMulti() async throws -> User {
    try await withAsyncThrowingValue { completion in
      calls += 1
      let request = sdk.typedUser(completion)
      return request
    } onCancel: { request in
      request.cancel()
    }
  }

  func typedResultVoid() async throws -> User {
    try await withAsyncThrowingValue { completion in
      calls += 1
      sdk.typedUser(completion)
    }
  }

  func typedResultPointFree() async throws -> User {
    try await withAsyncThrowingValue(in: sdk.typedUser)
  }

  func valueAndErrorShort() async throws -> User {
    try await withAsyncThrowingValue { sdk.maybeUser($0) }
  }

  func valueAndErrorNamed() async throws -> User {
    try await withAsyncThrowingValue { completion in
      sdk.maybeUser(completion)
    }
  }

  func valueAndErrorMulti() async throws -> User {
    try await withAsyncThrowingValue { completion in
      calls += 1
      let request = sdk.maybeUser(completion)
      return request
    } onCancel: { request in
      request.cancel()
    }
  }

  func valueAndErrorVoid() async throws -> User {
    try await withAsyncThrowingValue { completion in
      calls += 1
      sdk.maybeUser(completion)
    }
  }

  func valueAndErrorPointFree() async throws -> User {
    try await withAsyncThrowingValue(in: sdk.maybeUser)
  }

  func flagAndErrorShort() async throws -> Bool {
    try await withAsyncThrowingValue { sdk.isPremium($0) }
  }

  func flagAndErrorNamed() async throws -> Bool {
    try await withAsyncThrowingValue { completion in
      sdk.isPremium(completion)
    }
  }

  func flagAndErrorMulti() async throws -> Bool {
    try await withAsyncThrowingValue { completion in
      calls += 1
      let request = sdk.isPremium(completion)
      return request
    } onCancel: { request in
      request.cancel()
    }
  }

  func flagAndErrorVoid() async throws -> Bool {
    try await withAsyncThrowingValue { completion in
      calls += 1
      sdk.isPremium(completion)
    }
  }

  func flagAndErrorPointFree() async throws -> Bool {
    try await withAsyncThrowingValue(in: sdk.isPremium)
  }

  func errorOnlyShort() async throws {
    try await withAsyncThrowingValue { sdk.save($0) }
  }

  func errorOnlyNamed() async throws {
    try await withAsyncThrowingValue { completion in
      sdk.save(completion)
    }
  }

  func errorOnlyMulti() async throws {
    try await withAsyncThrowingValue { completion in
      calls += 1
      let request = sdk.save(completion)
      return request
    } onCancel: { request in
      request.cancel()
    }
  }

  func errorOnlyVoid() async throws {
    try await withAsyncThrowingValue { completion in
      calls += 1
      sdk.save(completion)
    }
  }

  func errorOnlyPointFree() async throws {
    try await withAsyncThrowingValue(in: sdk.save)
  }

  func twoValuesAndErrorShort() async throws -> (User, User) {
    try await withAsyncThrowingValue { sdk.userAndFriend($0) }
  }

  func twoValuesAndErrorNamed() async throws -> (User, User) {
    try await withAsyncThrowingValue { completion in
      sdk.userAndFriend(completion)
    }
  }

  func twoValuesAndErrorMulti() async throws -> (User, User) {
    try await withAsyncThrowingValue { completion in
      calls += 1
      let request = sdk.userAndFriend(completion)
      return request
    } onCancel: { request in
      request.cancel()
    }
  }

  func twoValuesAndErrorVoid() async throws -> (User, User) {
    try await withAsyncThrowingValue { completion in
      calls += 1
      sdk.userAndFriend(completion)
    }
  }

  func twoValuesAndErrorPointFree() async throws -> (User, User) {
    try await withAsyncThrowingValue(in: sdk.userAndFriend)
  }

  func labelled() async throws -> User {
    try await withAsyncThrowingValue(
      whenCancelled: .waitForCallback,
      timeout: .seconds(60),
      in: { completion in sdk.loadUser(id: "1", completion: completion) },
      onCancel: { $0.cancel() },
      onDiscard: { print($0.id) }
    )
  }

  func converted() async throws -> String {
    try await withAsyncThrowingValue { completion in
      sdk.loadUser(id: "1") { result in
        completion(result.map(\.id))
      }
    }
  }

  func switched() async throws -> String {
    try await withAsyncThrowingValue { completion in
      sdk.loadUser(id: "1") { result in
        switch result {
        case .success(let user): completion(.success(user.id))
        case .failure(let error): completion(.failure(error))
        }
      }
    }
  }

  func voidSwitched() async throws {
    try await withAsyncThrowingValue { completion in
      sdk.typedUser { result in
        switch result {
        case .success: completion(.success)
        case .failure(let error): completion(.failure(error))
        }
      }
    }
  }

  func voidStatement() async throws {
    calls += 1
    try await withAsyncThrowingValue { completion in
      sdk.save { error in
        if let error { completion(.failure(error)) } else { completion(.success(())) }
      }
    }
    calls += 1
  }

  func closures() async throws -> User {
    try await withAsyncThrowingValue { success, failure in
      sdk.signIn(success: success, failure: failure)
    }
  }

  func closuresShort() async throws -> User {
    try await withAsyncThrowingValue {
      sdk.signIn(success: $0, failure: $1)
    } onCancel: {
      $0.cancel()
    }
  }

  func threeClosures() async throws -> User {
    try await withAsyncThrowingValue { sdk.signIn(success: $0, failure: $1, cancelled: $2) }
  }

  func requestInCallback() async throws -> User {
    try await withAsyncThrowingValue { completion in
      LateRequest(cancel: { $0.cancel() }) { arrived in
        sdk.upload(requestHandler: arrived, completion: completion)
      }
    } onCancel: {
      $0.cancel()
    }
  }

  func requestInCallbackMulti() async throws -> User {
    try await withAsyncThrowingValue { completion in
      calls += 1
      let request = LateRequest(cancel: { $0.cancel() }) { arrived in
        calls += 1
        sdk.upload(requestHandler: { @Sendable in arrived($0) }, completion: completion)
      }
      return request
    } onCancel: {
      calls += 1
      $0.cancel()
    }
  }

  func requestInCallbackFallback() async -> String {
    await withAsyncValue(fallback: "") { completion in
      LateRequest(cancel: { $0.cancel() }) {
        sdk.upload(requestHandler: $0) { @Sendable in completion((try? $0.get().id) ?? "") }
      }
    } onCancel: {
      $0.cancel()
    }
  }

  func sendingSession() async throws -> String {
    try await withAsyncThrowingValue { sdk.openSession($0) }.user.id
  }

  func valueShort() async -> User {
    await withAsyncValue { sdk.currentUser($0) }
  }

  func valueNamed() async -> User {
    await withAsyncValue { completion in
      calls += 1
      return sdk.currentUser(completion)
    } onCancel: {
      $0.cancel()
    }
  }

  func valuePointFree() async -> User {
    await withAsyncValue(in: sdk.currentUser)
  }

  func neverFailingShort() async -> User {
    await withAsyncValue { sdk.cachedUser($0) }
  }

  func neverFailingNamed() async -> User {
    await withAsyncValue { completion in
      calls += 1
      return sdk.cachedUser(completion)
    } onCancel: {
      $0.cancel()
    }
  }

  func neverFailingPointFree() async -> User {
    await withAsyncValue(in: sdk.cachedUser)
  }

  func twoValuesShort() async -> (User, User) {
    await withAsyncValue { sdk.hostAndGuest($0) }
  }

  func twoValuesNamed() async -> (User, User) {
    await withAsyncValue { completion in
      calls += 1
      return sdk.hostAndGuest(completion)
    } onCancel: {
      $0.cancel()
    }
  }

  func twoValuesPointFree() async -> (User, User) {
    await withAsyncValue(in: sdk.hostAndGuest)
  }

  func voidShort() async {
    await withAsyncValue { sdk.flush($0) }
  }

  func voidNamed() async {
    await withAsyncValue { completion in
      calls += 1
      return sdk.flush(completion)
    } onCancel: {
      $0.cancel()
    }
  }

  func voidPointFree() async {
    await withAsyncValue(in: sdk.flush)
  }

  func fallbackString() async -> String {
    await withAsyncValue(fallback: "guest") { completion in
      sdk.currentUser { completion($0.id) }
    }
  }

  func fallbackVoid() async {
    await withAsyncValue(fallback: ()) { sdk.flush($0) }
  }

  func fallbackTimeout() async -> Int {
    await withAsyncValue(fallback: 0, timeout: .seconds(60)) { completion in
      sdk.hostAndGuest { completion($0.id.count + $1.id.count) }
    } onCancel: {
      $0.cancel()
    }
  }
}

/// SDKs that cannot fail, in waits that can be cancelled.
extension Calls {
  func throwingValueShort() async throws -> User {
    try await withAsyncThrowingValue { sdk.currentUser($0) }
  }

  func throwingValueMulti() async throws -> User {
    try await withAsyncThrowingValue { completion in
      calls += 1
      return sdk.currentUser(completion)
    } onCancel: {
      $0.cancel()
    }
  }

  func throwingValuePointFree() async throws -> User {
    try await withAsyncThrowingValue(in: sdk.currentUser)
  }

  func throwingValueConverted() async throws -> String {
    try await withAsyncThrowingValue { completion in
      sdk.currentUser { completion($0.id) }
    }
  }

  func throwingNeverFailing() async throws -> User {
    try await withAsyncThrowingValue { sdk.cachedUser($0) }
  }

  func throwingTwoValues() async throws -> (User, User) {
    try await withAsyncThrowingValue { sdk.hostAndGuest($0) }
  }

  func throwingTwoValuesPointFree() async throws -> (User, User) {
    try await withAsyncThrowingValue(in: sdk.hostAndGuest)
  }

  func throwingThreeValues() async throws -> (User, User, User) {
    try await withAsyncThrowingValue {
      sdk.crew($0)
    } onCancel: {
      $0.cancel()
    }
  }

  func throwingVoid() async throws {
    try await withAsyncThrowingValue { sdk.flush($0) }
  }

  func throwingVoidMulti() async throws {
    try await withAsyncThrowingValue(timeout: .seconds(60)) { completion in
      calls += 1
      return sdk.flush { completion() }
    } onCancel: {
      $0.cancel()
    }
  }

  func throwingVoidPointFree() async throws {
    try await withAsyncThrowingValue(in: sdk.flush)
  }

  func combinedValues() async throws -> (String, Int, Int, Int) {
    try await withAsyncThrowingValue { completion in
      sdk.hostAndGuest { completion(($0.id, 1, $1.id.count, 3)) }
    }
  }
}

/// `nil` as an answer, and three values.
extension Calls {
  func valueOrNil() async throws -> User? {
    try await withAsyncThrowingValue { sdk.maybeUser($0) }
  }

  func valueOrNilMulti() async throws -> User? {
    try await withAsyncThrowingValue { completion in
      calls += 1
      return sdk.maybeUser(completion)
    } onCancel: {
      $0.cancel()
    }
  }

  func valueOrNilPointFree() async throws -> User? {
    try await withAsyncThrowingValue(in: sdk.maybeUser)
  }

  func valueUnwrapped() async throws -> String {
    guard let user = try await withAsyncThrowingValue(in: { sdk.maybeUser($0) }) else { return "" }
    return user.id
  }

  func valueChained() async throws -> String? {
    try await withAsyncThrowingValue { sdk.maybeUser($0) }?.id
  }

  func valueOfNoDeclaredType() async throws -> String {
    let user = try await withAsyncThrowingValue { sdk.maybeUser($0) }
    let isPremium = try await withAsyncThrowingValue { sdk.isPremium($0) }
    return isPremium ? user.id : ""
  }

  func threeValuesAndError() async throws -> (User, User, User) {
    try await withAsyncThrowingValue { sdk.maybeCrew($0) }
  }

  func threeValuesAndErrorNamed() async throws -> String {
    let (user, _, _) = try await withAsyncThrowingValue { completion in
      calls += 1
      return sdk.maybeCrew(completion)
    } onCancel: {
      $0.cancel()
    }
    return user.id
  }
}

/// Closures for success and failure.
extension Calls {
  func successWithoutValue() async throws {
    try await withAsyncThrowingValue { sdk.signOut(success: $0, failure: $1) }
  }

  func successWithoutValueNamed() async throws {
    try await withAsyncThrowingValue { success, failure in
      calls += 1
      return sdk.signOut(success: { success() }, failure: { failure($0) })
    } onCancel: {
      $0.cancel()
    }
  }

  func failureWithoutError() async throws -> User {
    try await withAsyncThrowingValue { sdk.unlock(success: $0, failure: $1) }
  }

  func neither() async throws {
    try await withAsyncThrowingValue { sdk.lock(success: $0, failure: $1) }
  }

  func closuresConverted() async throws -> String {
    try await withAsyncThrowingValue { success, failure in
      sdk.signIn(success: { success($0.id) }, failure: failure)
    }
  }

  func closuresAndEnd() async throws -> User {
    try await withAsyncThrowingValue { sdk.signIn(success: $0, failure: $1, disposed: $2) }
  }

  func successWithoutValueAndEnd() async throws {
    try await withAsyncThrowingValue { sdk.signOut(success: $0, failure: $1, disposed: $2) }
  }

  func failureWithoutErrorAndEnd() async throws -> User {
    try await withAsyncThrowingValue { sdk.unlock(success: $0, failure: $1, disposed: $2) }
  }

  func neitherAndEnd() async throws {
    try await withAsyncThrowingValue { sdk.lock(success: $0, failure: $1, disposed: $2) }
  }
}

enum ServiceError: Error {
  case cancelled
  case user(SDKError)
  case unexpected(any Error)

  init(_ error: any Error) {
    switch error {
    case is CancellationError: self = .cancelled
    case let error as SDKError: self = .user(error)
    default: self = .unexpected(error)
    }
  }
}

/// Services with an error type of their own.
extension Calls {
  func mappedResult() async -> Result<User, ServiceError> {
    await withAsyncResult(mapError: { .unexpected($0) }) { completion in
      calls += 1
      return sdk.typedUser { completion($0.mapError(ServiceError.user)) }
    } onCancel: {
      $0.cancel()
    }
  }

  func mappedOtherResult() async throws(ServiceError) -> User {
    try await withAsyncResult(mapError: ServiceError.init) { sdk.typedUser($0) }.get()
  }

  func keptErrorType() async throws(SDKError) -> User {
    try await withAsyncResult(mapError: { _ in SDKError.cancelled }) { sdk.typedUser($0) }.get()
  }

  func mappedAnyResult() async throws(ServiceError) -> User {
    try await withAsyncResult(mapError: ServiceError.init) {
      sdk.loadUser(id: "1", completion: $0)
    } onCancel: {
      $0.cancel()
    }.get()
  }

  func mappedValueAndError() async -> Result<User, ServiceError> {
    await withAsyncResult(mapError: ServiceError.init) { sdk.maybeUser($0) }
  }

  func mappedValueOrNil() async throws(ServiceError) -> User? {
    try await withAsyncResult(mapError: ServiceError.init) { sdk.maybeUser($0) }.get()
  }

  func mappedErrorOnly() async throws(ServiceError) {
    try await withAsyncResult(mapError: ServiceError.init) { sdk.save($0) }.get()
  }

  func mappedValue() async throws(ServiceError) -> User {
    try await withAsyncResult(mapError: ServiceError.init) { sdk.currentUser($0) }.get()
  }

  func mappedVoid() async -> Result<Void, ServiceError> {
    await withAsyncResult(mapError: ServiceError.init) { sdk.flush($0) }
  }

  func mappedTwoValues() async throws(ServiceError) -> User {
    try await withAsyncResult(mapError: ServiceError.init) { sdk.userAndFriend($0) }.get().1
  }

  func mappedSuccessWithoutValue() async throws(ServiceError) {
    try await withAsyncResult(mapError: ServiceError.init) {
      sdk.signOut(success: $0, failure: $1)
    }.get()
  }

  func mappedClosures() async -> Result<User, ServiceError> {
    await withAsyncResult(mapError: { error in
      calls += 1
      return ServiceError(error)
    }) { sdk.signIn(success: $0, failure: $1) }
  }
}

extension Calls {
  /// Each gives what the SDK reports.
  func checkAll() async throws {
    #expect(try await resultShort().id == "1")
    #expect(try await resultNamed().id == "1")
    #expect(try await resultMulti().id == "1")
    #expect(try await resultVoid().id == "1")
    #expect(try await typedResultShort().id == "typed")
    #expect(try await typedResultNamed().id == "typed")
    #expect(try await typedResultMulti().id == "typed")
    #expect(try await typedResultVoid().id == "typed")
    #expect(try await typedResultPointFree().id == "typed")
    #expect(try await valueAndErrorShort().id == "maybe")
    #expect(try await valueAndErrorNamed().id == "maybe")
    #expect(try await valueAndErrorMulti().id == "maybe")
    #expect(try await valueAndErrorVoid().id == "maybe")
    #expect(try await valueAndErrorPointFree().id == "maybe")
    #expect(try await flagAndErrorShort() == true)
    #expect(try await flagAndErrorNamed() == true)
    #expect(try await flagAndErrorMulti() == true)
    #expect(try await flagAndErrorVoid() == true)
    #expect(try await flagAndErrorPointFree() == true)
    try await errorOnlyShort()
    try await errorOnlyNamed()
    try await errorOnlyMulti()
    try await errorOnlyVoid()
    try await errorOnlyPointFree()
    #expect(try await twoValuesAndErrorShort().0.id == "pair")
    #expect(try await twoValuesAndErrorNamed().0.id == "pair")
    #expect(try await twoValuesAndErrorMulti().0.id == "pair")
    #expect(try await twoValuesAndErrorVoid().0.id == "pair")
    #expect(try await twoValuesAndErrorPointFree().0.id == "pair")
    #expect(try await labelled().id == "1")
    #expect(try await converted() == "1")
    #expect(try await switched() == "1")
    try await voidSwitched()
    try await voidStatement()
    #expect(try await closures().id == "signed in")
    #expect(try await closuresShort().id == "signed in")
    #expect(try await threeClosures().id == "signed in")
    #expect(try await requestInCallback().id == "uploaded")
    #expect(try await requestInCallbackMulti().id == "uploaded")
    #expect(await requestInCallbackFallback() == "uploaded")
    #expect(try await sendingSession() == "session")
    #expect(await valueShort().id == "me")
    #expect(await valueNamed().id == "me")
    #expect(await valuePointFree().id == "me")
    #expect(await neverFailingShort().id == "cached")
    #expect(await neverFailingNamed().id == "cached")
    #expect(await neverFailingPointFree().id == "cached")
    #expect(await twoValuesShort().0.id == "pair")
    #expect(await twoValuesNamed().0.id == "pair")
    #expect(await twoValuesPointFree().0.id == "pair")
    await voidShort()
    await voidNamed()
    await voidPointFree()
    #expect(await fallbackString() == "me")
    await fallbackVoid()
    #expect(await fallbackTimeout() == 8)
    #expect(try await throwingValueShort().id == "me")
    #expect(try await throwingValueMulti().id == "me")
    #expect(try await throwingValuePointFree().id == "me")
    #expect(try await throwingValueConverted() == "me")
    #expect(try await throwingNeverFailing().id == "cached")
    #expect(try await throwingTwoValues().1.id == "pair")
    #expect(try await throwingTwoValuesPointFree().1.id == "pair")
    #expect(try await throwingThreeValues().2.id == "crew")
    try await throwingVoid()
    try await throwingVoidMulti()
    try await throwingVoidPointFree()
    #expect(try await combinedValues() == ("pair", 1, 4, 3))
    #expect(try await valueOrNil()?.id == "maybe")
    #expect(try await valueOrNilMulti()?.id == "maybe")
    #expect(try await valueOrNilPointFree()?.id == "maybe")
    #expect(try await valueUnwrapped() == "maybe")
    #expect(try await valueChained() == "maybe")
    #expect(try await valueOfNoDeclaredType() == "maybe")
    #expect(try await threeValuesAndError().2.id == "crew")
    #expect(try await threeValuesAndErrorNamed() == "crew")
    try await successWithoutValue()
    try await successWithoutValueNamed()
    #expect(try await failureWithoutError().id == "unlocked")
    try await neither()
    #expect(try await closuresConverted() == "signed in")
    #expect(try await closuresAndEnd().id == "signed in")
    try await successWithoutValueAndEnd()
    #expect(try await failureWithoutErrorAndEnd().id == "unlocked")
    try await neitherAndEnd()
    #expect(try await mappedResult().get().id == "typed")
    #expect(try await mappedOtherResult().id == "typed")
    #expect(try await keptErrorType().id == "typed")
    #expect(try await mappedAnyResult().id == "1")
    #expect(try await mappedValueAndError().get().id == "maybe")
    #expect(try await mappedValueOrNil()?.id == "maybe")
    try await mappedErrorOnly()
    #expect(try await mappedValue().id == "me")
    try await mappedVoid().get()
    #expect(try await mappedTwoValues().id == "pair")
    try await mappedSuccessWithoutValue()
    #expect(try await mappedClosures().get().id == "signed in")
    #expect(calls > 0)
  }

  /// For a task that is cancelled: the error is of the service's type, and made where `calls` is.
  func checkCancellation() async {
    let before = calls
    guard case .failure(.cancelled) = await mappedClosures() else {
      Issue.record("the service's error should say that the call was cancelled")
      return
    }
    #expect(calls == before + 1)
  }
}
