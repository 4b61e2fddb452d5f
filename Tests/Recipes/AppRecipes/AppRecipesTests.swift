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
