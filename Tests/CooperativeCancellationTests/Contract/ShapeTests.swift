import CooperativeCancellation
import FakeCallbackSDK
import Testing

/// What values and errors in one completion mean if the shape allows more than one of them, or
/// none.
@Suite("Completions that take values and an error", .watchdog) struct ShapeTests {
  private func run(
    _ form: BridgeForm,
    _ answer: Behavior.Answer
  ) -> (ending: Ending?, events: [Watch.Event], line: UInt) {
    let call = TestCall(form, .inside(answer))
    call.run()
    #expect(call.watch.reports == [])
    #expect(call.backend.valuesAlive == 0)
    return (call.ending, Array(call.watch.events.dropFirst()), call.watch.line)
  }

  @Test func `a callback with neither value nor error is an error that says so`() {
    let (ending, events, line) = run(.valueAndError, .halves(first: false, second: false))
    #expect(ending == .missing(line: line))
    #expect(events == [])
    let text = "\(MissingValueError(callSite: CallSite(line: 7)))"
    #expect(text.contains(":7 with neither a value nor an error"))
    #expect(text.contains("write `withAsyncThrowingValueIfPresent`"))
  }

  @Test(arguments: [(false, false), (true, false), (false, true), (true, true)])
  func `incomplete values, and values beside an error, are discarded together`(
    first: Bool,
    second: Bool
  ) {
    let values = [first, second].filter(\.self).map { _ in "pair" }.joined(separator: "+")
    let discards = values.isEmpty ? [] : [Watch.Event.discard(values)]
    let failing = run(
      .twoValuesAndError,
      .failureBeside(.failed, first: first, second: second)
    )
    #expect(failing.ending == .failure(.failed))
    #expect(failing.events == discards)
    let one = run(.valueAndError, .failureBeside(.failed, first: first, second: second))
    #expect(one.ending == .failure(.failed))
    #expect(one.events == (first ? [.discard("maybe")] : []))
    if first && second { return }
    let incomplete = run(.twoValuesAndError, .halves(first: first, second: second))
    #expect(incomplete.ending == .missing(line: incomplete.line))
    #expect(incomplete.events == discards)
  }

  @Test func `a missing value is not delivered to a cancelled task as an error`() {
    let call = TestCall(.valueAndError, .onDemand)
    call.run()
    call.backend.answer(.halves(first: false, second: false))
    call.cancel()
    call.run()
    #expect(call.ending == .cancelled)
  }

  @Test func `two nils are an answer where the name of the function says so`() async {
    let call = run(.valueOrNilAndError, .halves(first: false, second: false))
    #expect(call.ending == .value("nil"))
    // An annotation decides nothing.
    await #expect(throws: MissingValueError.self) {
      let number: Int? = try await withAsyncThrowingValue {
        (completion: @escaping @Sendable (Int?, (any Error)?) -> Void) in completion(nil, nil)
      }
      _ = number
    }
  }

  @Test func `each of two values is discarded in its own place`() async {
    let discarded = Protected<[[Int?]]>([])
    for value in [nil, 1] {
      _ = try? await withAsyncThrowingValue {
        (completion: @escaping @Sendable (Int?, Int?, (any Error)?) -> Void) in
        completion(value, 2, SDKError.failed)
      } onDiscard: { first, second in
        discarded.withLock { $0.append([first, second]) }
      }
    }
    #expect(discarded.withLock { $0 } == [[nil, 2], [1, 2]])
  }

  @Test func `an error is delivered, not thrown, where a result has its type`() async throws {
    let calls: any AnnotatedCalls = CallsThatWarn()
    let (result, error) = try await calls.results()
    #expect(throws: SDKError.failed) { try result.get() }
    #expect(error as? SDKError == .failed)
  }
}

/// The calls warn, as they should, and would here. Only a function that is deprecated itself may
/// make them, and only a protocol calls that without a warning.
private protocol AnnotatedCalls {
  func results() async throws -> (Result<Int, any Error>, (any Error)?)
}

private struct CallsThatWarn: AnnotatedCalls {
  @available(*, deprecated)
  func results() async throws -> (Result<Int, any Error>, (any Error)?) {
    let result: Result<Int, any Error> = try await withAsyncThrowingValue {
      (completion: @escaping @Sendable (Result<Int, any Error>) -> Void) in
      completion(.failure(SDKError.failed))
    }
    let error: (any Error)? = try await withAsyncThrowingValue {
      (completion: @escaping @Sendable ((any Error)?) -> Void) in completion(SDKError.failed)
    }
    return (result, error)
  }
}
