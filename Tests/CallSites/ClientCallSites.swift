// Wrappers that serve every actor though they are not `Sendable`. Compiled and run three times,
// with the settings that modules have: those of a new package, `NonisolatedNonsendingByDefault`,
// and the main actor as the default isolation.

import CCallbacks
import CooperativeCancellation
import FakeCallbackSDK
import PendingAnswers
import Testing

extension FakeSDK {
  nonisolated(nonsending) func user(id: String) async throws -> User {
    try await withAsyncThrowingValue { completion in
      loadUser(id: id, completion: completion)
    } onCancel: { request in
      request.cancel()
    }
  }
}

/// Not `Sendable`, and it changes its own state in the closures.
nonisolated final class Client {
  private let sdk: FakeSDK
  private(set) var calls = 0

  init(_ backend: Backend = Backend(.later)) { sdk = FakeSDK(backend) }

  nonisolated(nonsending) func user(id: String) async throws -> User {
    try await withAsyncThrowingValue(timeout: .seconds(60)) { completion in
      calls += 1
      return sdk.loadUser(id: id, completion: completion)
    } onCancel: { request in
      calls += 1
      request.cancel()
    } onDiscard: { user in
      print(user.id)
    }
  }

  nonisolated(nonsending) func name() async -> String {
    await withAsyncValue(fallback: "Guest") { completion in
      calls += 1
      sdk.currentUser { @Sendable in completion($0.id) }
    }
  }

  nonisolated(nonsending) func flagged() async throws -> User {
    try await withCancellationFlag { flag in
      try await withAsyncThrowingValue { completion in
        calls += 1
        return sdk.maybeUser(completion)
      } onCancel: { request in
        flag.set()
        request.cancel()
      }
    }
  }

  /// Asserts where its closures run.
  nonisolated(nonsending) func checkIsolation() async throws -> User {
    let actor = #isolation
    return try await withAsyncThrowingValue { completion in
      actor?.preconditionIsolated()
      // The request comes before the cancellation: it is cancelled in `onCancel`.
      return LateRequest { arrived in
        actor?.preconditionIsolated()
        sdk.upload(requestHandler: arrived, completion: completion)
      }
    } onCancel: { late in
      actor?.preconditionIsolated()
      late.cancel { request in
        actor?.preconditionIsolated()
        request.cancel()
      }
    }
  }

  nonisolated(nonsending) func degrees() async throws -> Double {
    try await withAsyncThrowingValue { completion in
      calls += 1
      let context = CallbackContext { (status: Int32, degrees: Double) in
        completion(status == 0 ? .success(degrees) : .failure(SDKError.failed))
      }
      let status = weather_fetch({ @Sendable in CallbackContext.call($0, $1, $2) }, context.pointer)
      guard status == 0 else { throw SDKError.failed }
      return context
    }
  }

  nonisolated(nonsending) func all() async throws -> [String] {
    [
      try await user(id: "1").id, await name(), try await flagged().id,
      try await checkIsolation().id, "\(try await degrees())",
    ]
  }
}

// int weather_fetch(void (*callback)(void *context, int status, double degrees), void *context);
// swift-format-ignore: AlwaysUseLowerCamelCase
nonisolated func weather_fetch(
  _ callback: @convention(c) (UnsafeMutableRawPointer?, Int32, Double) -> Void,
  _ context: UnsafeMutableRawPointer?
) -> Int32 {
  callback(context, 0, 12.5)
  return 0
}

@MainActor
final class ClientOfTheMainActor {
  private let client: Client
  private let sdk = FakeSDK(.later)

  init(_ backend: Backend = Backend(.later)) { client = Client(backend) }

  func all() async throws -> [String] { try await client.all() + [sdk.user(id: "2").id] }
  func checkIsolation() async throws -> User { try await client.checkIsolation() }
}

actor ClientOfAnActor {
  private let client: Client
  private let sdk = FakeSDK(.later)

  init(_ backend: Backend = Backend(.later)) { client = Client(backend) }

  func all() async throws -> [String] { try await client.all() + [sdk.user(id: "2").id] }
  func checkIsolation() async throws -> User { try await client.checkIsolation() }
}

nonisolated func clientOfNoActor() async throws -> [String] {
  let client = Client()
  let sdk = FakeSDK(.later)
  return try await client.all() + [sdk.user(id: "2").id]
}

@Suite("One client for every actor", .watchdog) struct ClientCallSiteTests {
  @Test func `it serves the main actor, an actor and no actor`() async throws {
    let expected = ["1", "me", "maybe", "uploaded", "12.5", "2"]
    #expect(try await ClientOfTheMainActor().all() == expected)
    #expect(try await ClientOfAnActor().all() == expected)
    #expect(try await clientOfNoActor() == expected)
  }

  @Test func `its closures run on the caller's actor`() async throws {
    let backend = Backend(.never)
    await cancel(Task { try await ClientOfTheMainActor(backend).checkIsolation() }, 1, of: backend)
    await cancel(Task { try await ClientOfAnActor(backend).checkIsolation() }, 2, of: backend)
    #expect(backend.counts.cancelled == 2)
  }

  /// Cancels a task when the SDK has its call, the `number`th.
  private func cancel(
    _ task: Task<User, any Error>,
    _ number: Int,
    of backend: Backend
  ) async {
    while backend.counts.started < number { await Task.yield() }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}

/// What users make for their own tests.
nonisolated func madeByUsers() -> [any Error] {
  let place = CallSite(fileID: "App/Feed.swift", line: 12)
  RuntimeIssue.handler(RuntimeIssue(kind: .completionDropped, callSite: place))
  return [
    TimeoutError(.seconds(5), callSite: place), DroppedCompletionError(callSite: place),
    MissingValueError(callSite: CallSite()), AlreadyPendingError(callSite: CallSite()),
  ]
}

/// One pattern for all answers.
nonisolated func answers(
  _ continuation: CancellableContinuation<String, Never>,
  _ calls: PendingCalls<Int, String>,
  _ call: PendingCall<String>
) -> [(String) -> Void] {
  [
    { return continuation.resume(returning: $0) }, { return calls.resume(7, returning: $0) },
    { return call.resume(with: Result<_, Never>.success($0)) },
  ]
}
