import CooperativeCancellation
import FakeCallbackSDK
import Testing

@Suite("The texts of errors and reports", .watchdog)
struct MessageTests {
  @Test
  func `a dropped completion's error names the call, the fault and the remedy`() async {
    var error: DroppedCompletionError?
    let line: UInt = #line + 2
    do {
      try await withAsyncThrowingValue { (_: @Sendable (Result<Void, any Error>) -> Void) in }
    } catch let dropped as DroppedCompletionError {
      error = dropped
    } catch {}
    #expect(error?.callSite == CallSite(fileID: #fileID, line: line))
    let text = "\(error.map { "\($0)" } ?? "")"
    #expect(text.contains("CooperativeCancellationTests/MessageTests.swift:\(line)"))
    #expect(text.contains("released without being called"))
    #expect(text.contains("Call it exactly once"))
  }

  @Test(arguments: [MisuseReport.Kind.completionCalledAgain, .completionDropped])
  func `a report is one line that begins with the call site`(kind: MisuseReport.Kind) async {
    let line = Reports.shared.uniqueLine()
    await withAsyncValue(line: line) { completion in
      if kind == .completionCalledAgain {
        completion()
        completion()
      }
    }
    #expect(Reports.shared.kinds(line: line) == [kind])
    let text = Reports.shared.texts(line: line).joined()
    #expect(text.hasPrefix("\(#fileID):\(line): the completion made here was"))
    #expect(!text.contains("\n"))
  }

  @Test
  func `the default handler prints each kind once per call site`() async {
    let result = await #expect(
      processExitsWith: .success,
      observing: [\.standardErrorContent]
    ) {
      for _ in 0..<3 {
        await withAsyncValue(line: 1) {
          $0(); $0()
        }
        await withAsyncValue(line: 1) { _ in }
        await withAsyncValue(line: 2) { _ in }
      }
    }
    let lines = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      .split(separator: "\n").filter { $0.hasPrefix("CooperativeCancellation: ") }
    #expect(lines.count == 3)
    #expect(lines.filter { $0.contains("MessageTests.swift:1: ") }.count == 2)
  }

  @Test
  func `a handler stays the same when it is saved and restored repeatedly`() async {
    await #expect(processExitsWith: .success) {
      for _ in 0..<300_000 { MisuseReport.handler = MisuseReport.handler }
      await withAsyncValue {
        $0(); $0()
      }
    }
    // The same for a bag's error handler.
    await #expect(processExitsWith: .success) {
      let errors = Protected(0)
      let bag = TaskBag { _, _ in errors.withLock { $0 += 1 } }
      for _ in 0..<300_000 { bag.onError = bag.onError }
      bag.add { throw SDKError.failed }
      try await bag.waitForAll()
      #expect(errors.withLock { $0 } == 1)
    }
  }
}

@Suite("What operation returns", .watchdog)
struct RequestLifetimeTests {
  private final class Owner: Sendable {
    let completion: @Sendable (Result<Int, any Error>) -> Void

    init(_ completion: @escaping @Sendable (Result<Int, any Error>) -> Void) {
      self.completion = completion
    }
  }

  private func task(
    _ operation:
      @escaping @Sendable (@escaping @Sendable (Result<Int, any Error>) -> Void) -> Owner?,
    on executor: ManualExecutor
  ) -> Task<Int, any Error> {
    Task(executorPreference: executor) {
      try await withAsyncThrowingValue {
        operation($0)
      } onCancel: { _ in
      }
    }
  }

  @Test
  func `is kept until the wait ends, a delegate for instance`() async throws {
    let executor = ManualExecutor()
    weak var owner: Owner?
    let created = Protected<Owner?>(nil)
    let task = task(
      { completion in
        let owner = Owner(completion)
        created.withLock { $0 = owner }
        return owner
      },
      on: executor
    )
    executor.runUntilIdle()
    owner = created.withLock { created in
      defer { created = nil }
      return created
    }
    #expect(owner != nil)
    owner?.completion(.success(1))
    executor.runUntilIdle()
    #expect(try await task.value == 1)
    #expect(owner == nil)
  }

  @Test
  func `keeps a completion from being dropped if it owns it`() async {
    let executor = ManualExecutor()
    let owning = task({ Owner($0) }, on: executor)
    let dropping = task(
      { completion in
        _ = completion; return nil
      },
      on: executor
    )
    executor.runUntilIdle()
    let dropped = await dropping.result
    #expect(throws: DroppedCompletionError.self) { try dropped.get() }
    owning.cancel()
    executor.runUntilIdle()
    let cancelled = await owning.result
    #expect(throws: CancellationError.self) { try cancelled.get() }
  }
}
