import CooperativeCancellation
import FakeCallbackSDK
import Testing

/// Every bridge without its optional arguments.
@Suite("Omitted arguments", .watchdog)
struct DefaultsTests {
  /// The SDK never answers, so the length does not matter.
  private static let soon = Timeout.milliseconds(1)

  private static let throwing: [@Sendable (FakeSDK) async throws -> Void] = [
    { sdk in
      _ = try await withAsyncThrowingValue(timeout: soon) { sdk.loadUser(id: "", completion: $0) }
    },
    { sdk in _ = try await withAsyncThrowingValue(timeout: soon) { sdk.typedUser($0) } },
    { sdk in _ = try await withAsyncThrowingValue(timeout: soon) { sdk.maybeUser($0) } },
    { sdk in _ = try await withAsyncThrowingValue(timeout: soon) { sdk.userAndFriend($0) } },
    { sdk in try await withAsyncThrowingValue(timeout: soon) { sdk.save($0) } },
    { sdk in try await withAsyncThrowingValue(timeout: soon) { sdk.rename($0) } },
    { sdk in
      _ = try await withAsyncThrowingValue(timeout: soon) { sdk.signIn(success: $0, failure: $1) }
    },
    { sdk in
      _ = try await withAsyncThrowingValue(timeout: soon) {
        sdk.signIn(success: $0, failure: $1, cancelled: $2)
      }
    },
    { sdk in _ = try await withAsyncThrowingValue(timeout: soon) { sdk.currentUser($0) } },
    { sdk in _ = try await withAsyncThrowingValue(timeout: soon) { sdk.hostAndGuest($0) } },
    { sdk in _ = try await withAsyncThrowingValue(timeout: soon) { sdk.crew($0) } },
    { sdk in try await withAsyncThrowingValue(timeout: soon) { sdk.flush($0) } },
    { sdk in _ = try await withAsyncThrowingValue(timeout: soon) { sdk.maybeCrew($0) } },
    { sdk in
      let user: User? = try await withAsyncThrowingValue(timeout: soon) { sdk.maybeUser($0) }
      _ = user
    },
    { sdk in
      try await withAsyncThrowingValue(timeout: soon) { sdk.signOut(success: $0, failure: $1) }
    },
    { sdk in
      _ = try await withAsyncThrowingValue(timeout: soon) { sdk.unlock(success: $0, failure: $1) }
    },
    { sdk in try await withAsyncThrowingValue(timeout: soon) { sdk.lock(success: $0, failure: $1) }
    },
    { sdk in
      try await withAsyncThrowingValue(timeout: soon) {
        sdk.signOut(success: $0, failure: $1, disposed: $2)
      }
    },
    { sdk in
      _ = try await withAsyncThrowingValue(timeout: soon) {
        sdk.unlock(success: $0, failure: $1, disposed: $2)
      }
    },
    { sdk in
      try await withAsyncThrowingValue(timeout: soon) {
        sdk.lock(success: $0, failure: $1, disposed: $2)
      }
    },
    { sdk in
      _ = try await withAsyncResult(mapError: { $0 }, timeout: soon) { sdk.typedUser($0) }.get()
    },
    { sdk in
      _ = try await withAsyncResult(mapError: { $0 }, timeout: soon) {
        sdk.loadUser(id: "", completion: $0)
      }.get()
    },
    { sdk in
      _ = try await withAsyncResult(mapError: { $0 }, timeout: soon) { sdk.currentUser($0) }.get()
    },
    { sdk in _ = try await withAsyncResult(mapError: { $0 }, timeout: soon) { sdk.flush($0) }.get()
    },
    { sdk in
      _ = try await withAsyncResult(mapError: { $0 }, timeout: soon) { sdk.maybeUser($0) }.get()
    },
    { sdk in _ = try await withAsyncResult(mapError: { $0 }, timeout: soon) { sdk.save($0) }.get()
    },
    { sdk in
      _ = try await withAsyncResult(mapError: { $0 }, timeout: soon) { sdk.userAndFriend($0) }.get()
    },
    { sdk in
      _ = try await withAsyncResult(mapError: { $0 }, timeout: soon) {
        sdk.signIn(success: $0, failure: $1)
      }.get()
    },
    { sdk in
      _ = try await withAsyncResult(mapError: { $0 }, timeout: soon) {
        sdk.signOut(success: $0, failure: $1)
      }.get()
    },
    { sdk in
      let user: Result<User, DefaultError> = await withAsyncResult(
        mapError: DefaultError.init,
        timeout: soon
      ) {
        sdk.typedUser($0)
      }
      _ = try user.mapError(\.error).get()
    },
    { sdk in
      let user: Result<User?, DefaultError> = await withAsyncResult(
        mapError: DefaultError.init,
        timeout: soon
      ) {
        sdk.maybeUser($0)
      }
      _ = try user.mapError(\.error).get()
    },
    { sdk in
      let session: Session = try await withAsyncThrowingValue(timeout: soon) { sdk.openSession($0) }
      _ = session
    },
  ]

  private struct DefaultError: Error {
    let error: any Error
  }

  @Test(arguments: throwing.indices)
  func `a throwing bridge without onCancel times out`(number: Int) async {
    await #expect(throws: TimeoutError.self) { try await Self.throwing[number](FakeSDK(.never)) }
  }

  @Test
  func `a bridge with a fallback and without onCancel times out`() async {
    let sdk = FakeSDK(.never)
    let prompt = FakeSDK(.insideTheCall)
    let guest = await withAsyncValue { prompt.currentUser($0) }
    #expect(
      await withAsyncValue(fallback: guest, timeout: Self.soon) { sdk.currentUser($0) }.id
        == guest.id
    )
    #expect(
      await withAsyncValue(fallback: guest, timeout: Self.soon) { sdk.cachedUser($0) }.id
        == guest.id
    )
    let both = await withAsyncValue(fallback: (guest, guest), timeout: Self.soon) {
      sdk.hostAndGuest($0)
    }
    #expect(both.0.id == guest.id)
    await withAsyncValue(fallback: (), timeout: Self.soon) { sdk.flush($0) }
  }

  private static let unconditional: [@Sendable (FakeSDK) async -> Void] = [
    { sdk in _ = await withAsyncValue(in: sdk.currentUser) },
    { sdk in _ = await withAsyncValue(in: sdk.cachedUser) },
    { sdk in _ = await withAsyncValue(in: sdk.hostAndGuest) },
    { sdk in await withAsyncValue { sdk.flush($0) } },
  ]

  @Test(arguments: unconditional.indices)
  func `a bridge without a fallback goes on waiting after a cancellation`(number: Int) {
    let sdk = FakeSDK(.onDemand)
    let backend = sdk.backend
    let executor = ManualExecutor()
    let hasEnded = Protected(false)
    let task = Task(executorPreference: executor) {
      await Self.unconditional[number](sdk)
      hasEnded.withLock { $0 = true }
    }
    executor.runUntilIdle()
    task.cancel()
    executor.runUntilIdle()
    #expect(!hasEnded.withLock { $0 })
    backend.answer()
    executor.runUntilIdle()
    #expect(hasEnded.withLock { $0 })
  }
}
