import CooperativeCancellation
import FakeCallbackSDK
import Testing

@Suite("Errors of the caller's own type", .watchdog) struct MappingErrorsTests {
  private enum ServiceError: Error, Equatable {
    case cancelled
    case own
    case other(String)

    init(_ error: any Error) { self = .other("\(type(of: error))") }
  }

  private static let endings: [(error: any Error, becomes: ServiceError)] = [
    (ServiceError.own, .own),
    (CancellationError(), .cancelled),
    (SDKError.failed, .other("SDKError")),
    (MissingValueError(callSite: CallSite(line: 1)), .other("MissingValueError")),
  ]

  @Test(arguments: endings.indices)
  func `each error becomes one of the caller's, or stays a cancellation`(number: Int) async {
    let (error, expected) = Self.endings[number]
    await #expect(throws: expected) {
      try await mappingErrors(to: ServiceError.init, cancellation: .cancelled) { throw error }
    }
    let result = await Result(mappingErrorsTo: ServiceError.init, cancellation: .cancelled) {
      throw error
    }
    #expect(throws: expected) { try result.get() }
    do {
      try await mappingErrors(to: ServiceError.init) { throw error }
    } catch is CancellationError {
      #expect(expected == .cancelled)
    } catch {
      #expect(error as? ServiceError == expected)
    }
  }

  /// Not `Sendable`.
  private final class Note {
    var text = "old"
  }

  @Test @MainActor
  func `it runs on the caller's actor, and its value need not be Sendable`() async throws {
    var mapped = 0
    let map = { (error: any Error) in
      MainActor.preconditionIsolated()
      mapped += 1
      return ServiceError(error)
    }
    let note = try await mappingErrors(to: map, cancellation: .cancelled) {
      MainActor.preconditionIsolated()
      await Task.yield()
      MainActor.preconditionIsolated()
      return Note()
    }
    note.text = "new"
    #expect(mapped == 0)
    await #expect(throws: ServiceError.other("SDKError")) {
      try await mappingErrors(to: map, cancellation: .cancelled) { throw SDKError.failed }
    }
    #expect(mapped == 1)
    let result = await Result(mappingErrorsTo: ServiceError.init, cancellation: .cancelled) {
      MainActor.preconditionIsolated()
      return Note()
    }
    #expect(try result.get().text == "old")
  }
}
