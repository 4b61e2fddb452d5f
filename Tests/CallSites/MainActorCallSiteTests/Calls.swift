import FakeCallbackSDK

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
