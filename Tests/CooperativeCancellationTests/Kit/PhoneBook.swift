import CooperativeCancellation
import CooperativeCancellationTesting
import FakeCallbackSDK

/// An SDK that connects lines, which must be hung up.
struct PhoneBook {
  typealias Completion = @Sendable (Result<Line, any Error>) -> Void

  let calls: FakeCall<Completion>
  var timeout: Timeout?

  func dial(_ completion: @escaping Completion) -> Call { calls.record(completion) }
}

extension PhoneBook {
  typealias Call = FakeCall<Completion>.Request

  /// A correct wrapper, but for what is given. `dial` wraps the completion, and `call` the call.
  func line(
    whenCancelled response: CancellationResponse = .abandonCallback,
    dial wrap: @Sendable (@escaping Completion) -> Completion = { $0 },
    call: ((@escaping Completion) -> Call)? = nil,
    onCancel cancel: (Call) -> Void = { $0.cancel() },
    onDiscard discard: @escaping @Sendable (Line) -> Void = { $0.hangUp() }
  ) async throws -> Line {
    try await withAsyncThrowingValue(whenCancelled: response, timeout: timeout) { completion in
      call?(completion) ?? dial(wrap(completion))
    } onCancel: {
      cancel($0)
    } onDiscard: {
      discard($0)
    }
  }
}

final class Line: Sendable {
  private let open: LiveCount

  init(_ open: LiveCount) {
    self.open = open
    open.increment()
  }

  func hangUp() { open.decrement() }
}

/// Puts a wrapper of the phone book through the guarantees.
func checkDialling(
  whenCancelled response: CancellationResponse = .abandonCallback,
  except exceptions: Set<WrapperGuarantee> = [],
  line: UInt = #line,
  _ wrapper: @escaping @Sendable (PhoneBook) async throws -> Line
) async throws {
  let open = LiveCount()
  try await checkWrapper(
    whenCancelled: response,
    values: open,
    except: exceptions,
    line: line
  ) { calls, clock in
    try await wrapper(PhoneBook(calls: calls, timeout: Timeout(.seconds(5), clock: clock)))
  } success: { completion in
    completion(.success(Line(open)))
  } failure: { completion in
    completion(.failure(SDKError.failed))
  }
}
