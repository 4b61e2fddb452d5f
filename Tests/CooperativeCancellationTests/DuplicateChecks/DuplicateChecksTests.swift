import FakeCallbackSDK
import Foundation
import Testing

/// One service, written twice, in the same scenarios: what the usual hand-written checks do
/// not do, and the library does.
@Suite("The same service, hand-written and with the library", .watchdog)
struct DuplicateChecksTests {
  typealias Method = @Sendable (any AccountService) async throws -> Void

  static let methods: [Method] = [
    { _ = try await $0.user(id: "1") },
    { _ = try await $0.search("Ann") },
    { _ = try await $0.uploadAvatar([1, 2, 3]) },
    { try await $0.rename(to: "Ann") },
  ]

  enum Ending: Equatable {
    case success
    case cancelled
    case failed
  }

  /// One call of one method, on the test's thread.
  struct Run: ~Copyable {
    private final class Outcome: Sendable {
      let ending = Protected<Ending?>(nil)
    }

    let backend: Backend
    private let executor = ManualExecutor()
    private let outcome = Outcome()
    private let task: Task<Void, Never>

    init(
      _ makeService: @escaping @Sendable (FakeSDK) -> any AccountService,
      _ method: Int,
      _ behavior: Behavior
    ) {
      let sdk = FakeSDK(behavior)
      backend = sdk.backend
      task = Task(executorPreference: executor) { [outcome] in
        let ending: Ending
        do {
          try await DuplicateChecksTests.methods[method](makeService(sdk))
          ending = .success
        } catch {
          ending = error is CancellationError ? .cancelled : .failed
        }
        outcome.ending.withLock { $0 = ending }
      }
      executor.runUntilIdle()
    }

    func cancel() {
      task.cancel()
      executor.runUntilIdle()
    }

    func answer(_ answer: Behavior.Answer = .success) {
      backend.answer(answer)
      executor.runUntilIdle()
    }

    func drop() {
      backend.drop()
      executor.runUntilIdle()
    }

    func finish() {
      executor.runUntilIdle()
    }

    var ending: Ending? { outcome.ending.withLock { $0 } }
  }

  private func byHand(_ method: Int, _ behavior: Behavior) -> Run {
    Run({ HandWrittenService(sdk: $0) }, method, behavior)
  }

  private func bridged(_ method: Int, _ behavior: Behavior) -> Run {
    Run({ BridgedService(sdk: $0) }, method, behavior)
  }

  @Test(arguments: methods.indices)
  func `both deliver a value and an error`(method: Int) {
    for start in [byHand, bridged] {
      let succeeding = start(method, .onDemand)
      succeeding.answer()
      #expect(succeeding.ending == .success)
      let failing = start(method, .onDemand)
      failing.answer(.failure(.failed))
      #expect(failing.ending == .failed)
    }
  }

  @Test(arguments: methods.indices)
  func `a cancelled call; hand-written: waits for the answer; with the library: throws at once`(
    method: Int
  ) {
    let old = byHand(method, .onDemand)
    old.cancel()
    #expect(old.ending == nil, "it does not return promptly")
    old.answer()
    #expect(old.ending == .success, "the check in the callback never fires")

    let new = bridged(method, .onDemand)
    new.cancel()
    #expect(new.ending == .cancelled)
    new.answer()
    #expect(new.ending == .cancelled)
  }

  @Test(arguments: methods.indices)
  func `the SDK of a cancelled call; hand-written: works on; with the library: is told`(method: Int)
  {
    let old = byHand(method, .confirmingCancellation)
    old.cancel()
    #expect(old.backend.counts == .init(started: 1))
    old.answer()

    let new = bridged(method, .confirmingCancellation)
    new.cancel()
    #expect(new.backend.counts == .init(started: 1, cancelled: 1, completed: 1))
  }

  @Test(arguments: methods.indices)
  func `a dropped completion; hand-written: hangs; with the library: throws`(method: Int) {
    let old = byHand(method, .dropping)
    #expect(old.ending == nil)
    old.cancel()
    #expect(old.ending == nil, "not even cancellation ends it")

    let new = bridged(method, .dropping)
    #expect(new.ending == .failed)
  }

  @Test(arguments: methods.indices)
  func `a callback in a cancelled task; hand-written: throws; with the library: returns`(
    method: Int
  ) async {
    for (start, expected) in [(byHand, Ending.cancelled), (bridged, Ending.success)] {
      let run = start(method, .onDemand)
      let backend = run.backend
      await Task {
        cancelThisTask()
        backend.answer()
      }.value
      run.finish()
      #expect(run.ending == expected)
    }
  }

  @Test(arguments: methods.indices)
  func `a second callback; hand-written: crashes; with the library: is ignored`(method: Int) async {
    let new = bridged(method, .inside(.success, .success))
    #expect(new.ending == .success)
    // A closure of its own, because an exit test captures nothing.
    await #expect(processExitsWith: .failure) {
      let run = Run({ HandWrittenService(sdk: $0) }, 0, .inside(.success, .success))
      _ = run.ending
    }
  }

  @Test
  func `the README quotes these line counts`() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    let byHand = try lineCount(folder.appending(path: "HandWrittenService.swift"))
    let bridged = try lineCount(folder.appending(path: "BridgedService.swift"))
    let quote = "\(byHand) lines hand-written, and \(bridged) lines with the library"
    print("the same four methods: \(quote)")
    let readme = folder.appending(path: "../../../README.md")
    #expect(try String(contentsOf: readme, encoding: .utf8).contains(quote))
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
