import FakeCallbackSDK

final class Calls {
  let sdk: FakeSDK
  var calls = 0

  init(_ backend: Backend) {
    sdk = FakeSDK(backend)
  }

  func count() {
    calls += 1
  }
}
