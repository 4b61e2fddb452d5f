import FakeCallbackSDK
import Testing

final class Calls {
  let sdk = FakeSDK(.later)
  var calls = 0
}

@Suite("Call sites, from nonisolated code")
struct CallSiteTests {
  @Test
  func `each gives what the SDK reports`() async throws {
    try await Calls().checkAll()
  }

  @Test
  func `a cancellation is an error of the service's own type`() async {
    await Task {
      withUnsafeCurrentTask { $0?.cancel() }
      await Calls().checkCancellation()
    }.value
  }
}
