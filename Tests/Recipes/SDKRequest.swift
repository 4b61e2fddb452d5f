import CooperativeCancellation
import CooperativeCancellationTesting

// The SDKs of the pages' code, whose calls the check answers.

typealias Handler<Value> = @Sendable (Result<Value, any Error>) -> Void
typealias Pair<Value> = @Sendable (Value?, (any Error)?) -> Void

struct SDKError: Error {}

/// A call of an SDK: what it returns, to be cancelled.
nonisolated final class SDKRequest: Sendable {
  typealias Answer = @Sendable (_ error: (any Error)?) -> Void

  static let calls = TaskLocal(wrappedValue: FakeCall<Answer>())

  private let request: FakeCall<Answer>.Request

  init(_ answer: @escaping Answer) { request = Self.calls.get().record(answer) }

  convenience init<Value: Sendable>(_ value: Value, _ completion: @escaping Pair<Value>) {
    self.init { completion($0 == nil ? value : nil, $0) }
  }

  convenience init<Value: Sendable>(_ value: Value, _ completion: @escaping Handler<Value>) {
    self.init { completion($0.map { .failure($0) } ?? .success(value)) }
  }

  func cancel() { request.cancel() }

  /// For an SDK that cancels whatever runs.
  static func cancelLatest() { calls.get()[calls.get().callCount]?.cancel() }

  func deliver(to receive: @escaping @Sendable (_ cancel: @escaping @Sendable () -> Void) -> Void) {
    request.deliver { request in receive { request.cancel() } }
  }
}

nonisolated extension Set<WrapperGuarantee> {
  static let drop: Self = [.droppedCompletion]
  static let forwarding: Self = [.forwarding, .timeout]
}

/// Puts a page's wrapper to the check that the page recommends.
nonisolated func check<Wrapper: Sendable, Output>(
  _ make: @escaping @MainActor @Sendable () -> Wrapper,
  whenCancelled response: CancellationResponse = .abandonCallback,
  alwaysUnregisters: Bool = false,
  values: LiveCount? = nil,
  canFail: Bool = true,
  except exceptions: Set<WrapperGuarantee> = [],
  fileID: StaticString = #fileID,
  line: UInt = #line,
  _ call: @escaping @MainActor @Sendable (Wrapper) async throws -> Output
) async throws {
  let failure: @Sendable (SDKRequest.Answer) -> Void = { $0(SDKError()) }
  try await checkWrapper(
    whenCancelled: response,
    alwaysUnregisters: alwaysUnregisters,
    values: values,
    except: exceptions,
    fileID: fileID,
    line: line,
    { @MainActor (calls: FakeCall<SDKRequest.Answer>) async throws -> Output in
      try await SDKRequest.calls.withValue(calls) {
        try await call(await calls.wrapper { make() })
      }
    },
    success: { $0(nil) },
    failure: canFail ? failure : nil
  )
}

extension Timeout {
  /// In place of the library's: no timeout of a page ends a check on a busy machine.
  static func seconds(_ seconds: Int) -> Timeout { Timeout(.seconds(1000 * seconds)) }
}
