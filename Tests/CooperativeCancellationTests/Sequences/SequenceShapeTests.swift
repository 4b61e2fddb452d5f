import CallbackSequences
import CooperativeCancellation
import FakeCallbackSDK
import Testing

@Suite("Sequences: values and errors in one callback", .watchdog) struct SequenceShapeTests {
  private static let last: [(value: Int?, error: SDKError?)] = [(3, .failed), (nil, nil)]

  /// All of them come inside the registration.
  @Test(arguments: last.indices)
  func `an error discards the value beside it, and neither is an error that names the line`(
    number: Int
  ) async throws {
    let last = Self.last[number]
    let discarded = Protected<[Int]>([])
    let sequence = AsyncThrowingCallbackSequence<Int>(buffering: .unbounded, line: 42) {
      (yield: @escaping @Sendable (Int?, (any Error)?) -> Void) in
      yield(1, nil)
      yield(2, nil)
      yield(last.value, last.error)
    } onTermination: {
    } onDiscard: { value in
      discarded.withLock { $0.append(value) }
    }
    // Not a loop, which calls the other `next`.
    var iterator = sequence.makeAsyncIterator()
    #expect(try await iterator.next() == 1)
    #expect(try await iterator.next() == 2)
    do {
      _ = try await iterator.next()
    } catch let error as MissingValueError {
      #expect(last.error == nil)
      #expect(error.callSite.line == 42)
    } catch {
      #expect(error as? SDKError == last.error)
    }
    #expect(try await iterator.next() == nil)
    #expect(discarded.withLock { $0 } == (last.value.map { [$0] } ?? []))
  }
}
