import CooperativeCancellation
import FakeCallbackSDK
import Testing

actor ActorCalls {
  let sdk = FakeSDK(.later)
  var calls = 0

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

/// The same call sites as in the other files of this folder, from an actor.
@Suite("Call sites, from an actor")
struct AnActorCallSiteTests {
  @Test
  func `each gives what the SDK reports`() async throws {
    let calls = ActorCalls()
    #expect(try await calls.resultShort().id == "1")
    #expect(try await calls.resultNamed().id == "1")
    #expect(try await calls.resultMulti().id == "1")
    #expect(try await calls.resultVoid().id == "1")
    #expect(try await calls.typedResultShort().id == "typed")
    #expect(try await calls.typedResultNamed().id == "typed")
    #expect(try await calls.typedResultMulti().id == "typed")
    #expect(try await calls.typedResultVoid().id == "typed")
    #expect(try await calls.typedResultPointFree().id == "typed")
    #expect(try await calls.valueAndErrorShort().id == "maybe")
    #expect(try await calls.valueAndErrorNamed().id == "maybe")
    #expect(try await calls.valueAndErrorMulti().id == "maybe")
    #expect(try await calls.valueAndErrorVoid().id == "maybe")
    #expect(try await calls.valueAndErrorPointFree().id == "maybe")
    #expect(try await calls.flagAndErrorShort() == true)
    #expect(try await calls.flagAndErrorNamed() == true)
    #expect(try await calls.flagAndErrorMulti() == true)
    #expect(try await calls.flagAndErrorVoid() == true)
    #expect(try await calls.flagAndErrorPointFree() == true)
    try await calls.errorOnlyShort()
    try await calls.errorOnlyNamed()
    try await calls.errorOnlyMulti()
    try await calls.errorOnlyVoid()
    try await calls.errorOnlyPointFree()
    #expect(try await calls.twoValuesAndErrorShort().0.id == "pair")
    #expect(try await calls.twoValuesAndErrorNamed().0.id == "pair")
    #expect(try await calls.twoValuesAndErrorMulti().0.id == "pair")
    #expect(try await calls.twoValuesAndErrorVoid().0.id == "pair")
    #expect(try await calls.twoValuesAndErrorPointFree().0.id == "pair")
    #expect(try await calls.labelled().id == "1")
    #expect(try await calls.converted() == "1")
    #expect(try await calls.switched() == "1")
    try await calls.voidSwitched()
    try await calls.voidStatement()
    #expect(try await calls.closures().id == "signed in")
    #expect(try await calls.closuresShort().id == "signed in")
    #expect(try await calls.threeClosures().id == "signed in")
    #expect(try await calls.requestInCallback().id == "uploaded")
    #expect(try await calls.requestInCallbackMulti().id == "uploaded")
    #expect(await calls.requestInCallbackFallback() == "uploaded")
    #expect(try await calls.sendingSession() == "session")
    #expect(await calls.valueShort().id == "me")
    #expect(await calls.valueNamed().id == "me")
    #expect(await calls.valuePointFree().id == "me")
    #expect(await calls.neverFailingShort().id == "cached")
    #expect(await calls.neverFailingNamed().id == "cached")
    #expect(await calls.neverFailingPointFree().id == "cached")
    #expect(await calls.twoValuesShort().0.id == "pair")
    #expect(await calls.twoValuesNamed().0.id == "pair")
    #expect(await calls.twoValuesPointFree().0.id == "pair")
    await calls.voidShort()
    await calls.voidNamed()
    await calls.voidPointFree()
    #expect(await calls.fallbackString() == "me")
    await calls.fallbackVoid()
    #expect(await calls.fallbackTimeout() == 8)
    #expect(await calls.calls > 0)
  }
}
