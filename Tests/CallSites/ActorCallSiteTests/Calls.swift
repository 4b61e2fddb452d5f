import FakeCallbackSDK

actor Calls {
  let sdk: FakeSDK
  var calls = 0

  init(_ backend: Backend) {
    sdk = FakeSDK(backend)
  }

  func count() {
    preconditionIsolated()
    calls += 1
  }
}
