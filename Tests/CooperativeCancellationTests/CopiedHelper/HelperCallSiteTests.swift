import CooperativeCancellation
import FakeCallbackSDK
import Testing

/// A replacement for the helper that circulates: its best-known call site compiles and works unchanged.
@Suite("A wrapper written for the copied helper", .watchdog)
struct HelperCallSiteTests {
  struct UserAttributeEntity {
    func toMEGAUserAttribute() -> UserAttribute { .firstName }
  }

  struct GenericErrorEntity: Error {}

  final class Repository {
    let sdk: FakeSDK

    init(sdk: FakeSDK) {
      self.sdk = sdk
    }

    // swift-format-ignore
    func updateUserAttribute(_ attribute: UserAttributeEntity, value: String) async throws {
        return try await withAsyncThrowingValue(in: { completion in
            sdk.setUserAttributeType(attribute.toMEGAUserAttribute(), value: value, delegate: RequestDelegate { result in
                switch result {
                case .success:
                    completion(.success)
                case .failure:
                    completion(.failure(GenericErrorEntity()))
                }
            })
        })
    }
  }

  @Test
  func `a call that succeeds returns`() async throws {
    try await Repository(sdk: FakeSDK(.later)).updateUserAttribute(.init(), value: "Ann")
  }

  @Test
  func `a call that fails throws the error that the wrapper made of it`() async {
    let repository = Repository(sdk: FakeSDK(.queued(.failure(.failed))))
    await #expect(throws: GenericErrorEntity.self) {
      try await repository.updateUserAttribute(.init(), value: "Ann")
    }
  }

  @Test
  func `a cancelled call returns at once`() async {
    let sdk = FakeSDK(.never)
    let backend = sdk.backend
    let task = Task { [repository = Repository(sdk: sdk)] in
      try await repository.updateUserAttribute(.init(), value: "Ann")
    }
    while backend.counts.started == 0 { await Task.yield() }
    task.cancel()
    let result = await task.result
    #expect(throws: CancellationError.self) { try result.get() }
  }
}
