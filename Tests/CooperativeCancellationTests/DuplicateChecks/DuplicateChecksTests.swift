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

  /// A call of one method, until it has ended or waits. It ends with a value, a cancellation or a failure.
  private func start(
    _ makeService: @escaping @Sendable (FakeSDK) -> any AccountService,
    _ method: Int,
    _ behavior: Behavior
  ) -> TestCall {
    let form = BridgeForm(.throwing, "", delivers: .value(""), []) { sdk, _ in
      do {
        try await DuplicateChecksTests.methods[method](makeService(sdk))
        return .value("")
      } catch {
        return error is CancellationError ? .cancelled : .failure(.failed)
      }
    }
    let call = TestCall(form, behavior)
    call.run()
    return call
  }

  private func byHand(_ method: Int, _ behavior: Behavior) -> TestCall {
    start({ HandWrittenService(sdk: $0) }, method, behavior)
  }

  private func bridged(_ method: Int, _ behavior: Behavior) -> TestCall {
    start({ BridgedService(sdk: $0) }, method, behavior)
  }

  @Test(arguments: methods.indices)
  func `both deliver a value and an error`(method: Int) {
    for start in [byHand, bridged] {
      let succeeding = start(method, .onDemand)
      succeeding.backend.answer()
      succeeding.run()
      #expect(succeeding.ending == .value(""))
      let failing = start(method, .onDemand)
      failing.backend.answer(.failure(.failed))
      failing.run()
      #expect(failing.ending == .failure(.failed))
    }
  }

  @Test(arguments: methods.indices)
  func `a cancelled call; hand-written: waits for the answer; with the library: throws at once`(
    method: Int
  ) {
    let old = byHand(method, .onDemand)
    old.cancel()
    old.run()
    #expect(old.ending == nil, "it does not return promptly")
    old.backend.answer()
    old.run()
    #expect(old.ending == .value(""), "the check in the callback never fires")

    let new = bridged(method, .onDemand)
    new.cancel()
    new.run()
    #expect(new.ending == .cancelled)
    new.backend.answer()
    new.run()
    #expect(new.ending == .cancelled)
  }

  @Test(arguments: methods.indices)
  func `the SDK of a cancelled call; hand-written: works on; with the library: is told`(method: Int)
  {
    let old = byHand(method, .confirmingCancellation)
    old.cancel()
    old.run()
    #expect(old.backend.counts == .init(started: 1))
    old.backend.answer()
    old.run()

    let new = bridged(method, .confirmingCancellation)
    new.cancel()
    new.run()
    #expect(new.backend.counts == .init(started: 1, cancelled: 1, completed: 1))
  }

  @Test(arguments: methods.indices)
  func `a dropped completion; hand-written: hangs; with the library: throws`(method: Int) {
    let old = byHand(method, .dropping)
    #expect(old.ending == nil)
    old.cancel()
    old.run()
    #expect(old.ending == nil, "not even cancellation ends it")

    let new = bridged(method, .dropping)
    #expect(new.ending == .failure(.failed))
  }

  @Test(arguments: methods.indices)
  func `a callback in a cancelled task; hand-written: throws; with the library: returns`(
    method: Int
  ) async {
    for (start, expected) in [(byHand, Ending.cancelled), (bridged, Ending.value(""))] {
      let call = start(method, .onDemand)
      let backend = call.backend
      await Task {
        cancelThisTask()
        backend.answer()
      }.value
      call.run()
      #expect(call.ending == expected)
    }
  }

  @Test(arguments: methods.indices)
  func `a second callback; hand-written: crashes; with the library: is ignored`(method: Int) async {
    let new = bridged(method, .inside(.success, .success))
    #expect(new.ending == .value(""))
    // A closure of its own, because an exit test captures nothing.
    await #expect(processExitsWith: .failure) {
      _ = DuplicateChecksTests().byHand(0, .inside(.success, .success)).ending
    }
  }

  @Test
  func `the guide quotes these line counts`() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    let byHand = try lineCount(folder.appending(path: "HandWrittenService.swift"))
    let bridged = try lineCount(folder.appending(path: "BridgedService.swift"))
    let quote = "\(byHand) lines hand-written, and \(bridged) lines with the library"
    print("the same four methods: \(quote)")
    let guide = folder.appending(path: "../../../Documentation.docc/Migrating.md")
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
