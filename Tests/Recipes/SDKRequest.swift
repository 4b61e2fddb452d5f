import CooperativeCancellation
import CooperativeCancellationTesting

/// A call of an SDK in the snippets, which the check answers in place of the SDK.
final class SDKRequest: Sendable {
  typealias Answer = @Sendable (_ succeeds: Bool) -> Void

  @TaskLocal static var calls = FakeCall<Answer>()

  private let request: FakeCall<Answer>.Request

  init(_ answer: @escaping Answer) { request = Self.calls.record(answer) }

  func cancel() { request.cancel() }

  /// For an SDK that cancels whatever runs.
  static func cancelLatest() { calls[calls.callCount]?.cancel() }

  func deliver(to receive: @escaping @Sendable (_ cancel: @escaping @Sendable () -> Void) -> Void) {
    request.deliver { request in receive { request.cancel() } }
  }
}

/// Puts a wrapper of a snippet to the check that its page recommends.
func check<Wrapper: Sendable, Output>(
  _ make: @escaping @MainActor @Sendable () -> Wrapper,
  whenCancelled response: CancellationResponse = .abandonCallback,
  alwaysUnregisters: Bool = false,
  canFail: Bool = true,
  except exceptions: Set<WrapperGuarantee> = [],
  fileID: StaticString = #fileID,
  line: UInt = #line,
  _ call: @escaping @MainActor @Sendable (Wrapper) async throws -> Output
) async throws {
  let failure: @Sendable (SDKRequest.Answer) -> Void = { $0(false) }
  try await checkWrapper(
    whenCancelled: response,
    alwaysUnregisters: alwaysUnregisters,
    except: exceptions,
    fileID: fileID,
    line: line,
    { @MainActor (calls: FakeCall<SDKRequest.Answer>) async throws -> Output in
      try await SDKRequest.$calls.withValue(calls) {
        try await call(await calls.wrapper { make() })
      }
    },
    success: { $0(true) },
    failure: canFail ? failure : nil
  )
}
