import CooperativeCancellation
import CooperativeCancellationTesting
import Testing

@Suite("The page “Recipes for apps”", .serialized)
@MainActor
struct AppRecipesTests {
  @Test func `calls that can be cancelled`() async throws {
    try await check({ Shop() }, whenCancelled: .deliverResult) { try await $0.pay(10) }
    try await check({ Shop() }) { try await $0.prices() }
    try await check({ Shop() }, except: .forwarding) { try await $0.openConnection() }
    try await check({ Store() }, except: .drop) { try await $0.rows("a") }
  }

  @Test(arguments: [false, true])
  func `interrupting whatever runs reaches no other statement`(isAnsweredFirst: Bool) async throws {
    let calls = FakeCall<SDKRequest.Answer>()
    try await SDKRequest.calls.withValue(calls) {
      let store = Store()
      let old = Task { try await store.rows("a") }
      let first = try await calls.next()
      let new = Task { try await store.rows("b") }
      // This test has the main actor, so the task does not read this answer before the
      // cancellation.
      if isAnsweredFirst { first.answer { $0(nil) } }
      old.cancel()
      await #expect(throws: CancellationError.self) { try await old.value }
      // A real database answers an interrupted statement with an error.
      if !isAnsweredFirst { first.answer { $0(SDKError()) } }
      let second = try await calls.next()
      #expect((first.cancelCount, second.cancelCount) == (1, 0))
      second.answer { $0(nil) }
      #expect(try await new.value == ["row of b"])
    }
  }

  @Test func `a caller with a callback`() async throws {
    try await check({ Shop() }) { shop in
      try await withAsyncThrowingValue {
        shop.loadPrices($0)
      } onCancel: {
        $0.cancel()
      }
    }
  }
}
