import FakeCallbackSDK
import Testing

@MainActor final class Calls {
  let sdk: FakeSDK
  var calls = 0

  init(_ backend: Backend) {
    sdk = FakeSDK(backend)
  }

  func count() {
    MainActor.preconditionIsolated()
    calls += 1
  }
}

@Suite("Call sites, from the main actor")
struct CallSiteTests {
  @MainActor @Test
  func `each gives what the SDK reports`() async throws {
    try await Calls(Backend(.later)).checkAll()
  }

  @MainActor @Test
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
