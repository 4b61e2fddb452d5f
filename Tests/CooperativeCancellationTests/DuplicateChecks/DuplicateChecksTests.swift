import FakeCallbackSDK
import Foundation
import Testing

/// One service, written twice: what the usual hand-written checks do not do, and the library does.
@Suite("The same service, hand-written and with the library", .watchdog)
struct DuplicateChecksTests {
  typealias Method = @Sendable (any AccountService) async throws -> Void

  static let methods: [Method] = [
    { _ = try await $0.user(id: "1") },
    { _ = try await $0.search("Ann") },
    { _ = try await $0.uploadAvatar([1, 2, 3]) },
    { try await $0.rename(to: "Ann") },
  ]

  struct Scenario: CustomTestStringConvertible {
    enum Step { case cancel, answer, fail, answerInACancelledTask }

    let testDescription: String
    let steps: [Step]
    /// With `nil`, the call waits.
    let byHand, bridged: Ending?
    var sdk = Behavior.onDemand
  }

  // A table.
  // swift-format-ignore
  private static let scenarios = [
    Scenario(testDescription: "a value", steps: [.answer], byHand: .value(""), bridged: .value("")),
    Scenario(
      testDescription: "an error", steps: [.fail],
      byHand: .failure(.failed), bridged: .failure(.failed)
    ),
    Scenario(testDescription: "a cancellation", steps: [.cancel], byHand: nil, bridged: .cancelled),
    // The check in the callback never fires.
    Scenario(
      testDescription: "an answer after it", steps: [.cancel, .answer],
      byHand: .value(""), bridged: .cancelled
    ),
    // Not even a cancellation ends it.
    Scenario(
      testDescription: "a drop", steps: [.cancel],
      byHand: nil, bridged: .failure(.failed), sdk: .dropping
    ),
    Scenario(
      testDescription: "a callback in a cancelled task", steps: [.answerInACancelledTask],
      byHand: .cancelled, bridged: .value("")
    ),
  ]

  @Test(arguments: methods.indices, scenarios)
  private func ends(method: Int, scenario: Scenario) async {
    for isBridged in [false, true] {
      let call = start(isBridged: isBridged, method, scenario.sdk)
      let backend = call.backend
      for step in scenario.steps {
        switch step {
        case .cancel: call.cancel()
        case .answer: backend.answer()
        case .fail: backend.answer(.failure(.failed))
        case .answerInACancelledTask:
          await Task {
            cancelThisTask()
            backend.answer()
          }.value
        }
        call.run()
      }
      #expect(call.ending == (isBridged ? scenario.bridged : scenario.byHand))
      let isTold = isBridged && scenario.bridged == .cancelled
      #expect(backend.counts.cancelled == (isTold ? 1 : 0))
    }
  }

  /// A call of one method, until it has ended or waits. It ends with a value, a cancellation or a
  /// failure.
  private func start(isBridged: Bool, _ method: Int, _ behavior: Behavior) -> TestCall {
    let form = BridgeForm(.throwing, "", delivers: .value(""), []) { sdk, _ in
      do {
        try await DuplicateChecksTests.methods[method](
          isBridged ? BridgedService(sdk: sdk) : HandWrittenService(sdk: sdk)
        )
        return .value("")
      } catch {
        return error is CancellationError ? .cancelled : .failure(.failed)
      }
    }
    let call = TestCall(form, behavior)
    call.run()
    return call
  }

  @Test
  func `a second callback crashes what is hand-written, and is ignored with the library`() async {
    for method in Self.methods.indices {
      let call = start(isBridged: true, method, .inside(.success, .success))
      #expect(call.ending == .value(""))
    }
    await #expect(processExitsWith: .failure) {
      _ = DuplicateChecksTests().start(isBridged: false, 0, .inside(.success, .success)).ending
    }
  }

  @Test func `the guide quotes these line counts`() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    let byHand = try lineCount(folder.appending(path: "HandWrittenService.swift"))
    let bridged = try lineCount(folder.appending(path: "BridgedService.swift"))
    let guide = folder.appending(path: "../../../Documentation.docc/Migrating.md")
    let quote = "\(byHand) lines hand-written, and \(bridged) lines with the library"
    #expect(try String(contentsOf: guide, encoding: .utf8).contains(quote))
  }

  /// Counts the lines that have code in them.
  private func lineCount(_ file: URL) throws -> Int {
    try String(contentsOf: file, encoding: .utf8)
      .split(separator: "\n")
      .map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { !$0.isEmpty && !$0.hasPrefix("//") }
      .count
  }
}
