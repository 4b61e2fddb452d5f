import FakeCallbackSDK

@MainActor final class Calls {
  let sdk: FakeSDK
  let station = FakeStation(Mast(greeting: [.play]))
  var calls = 0
  var steps: [String] = []

  init(_ backend: Backend) { sdk = FakeSDK(backend) }

  func count() {
    MainActor.preconditionIsolated()
    calls += 1
  }
}
