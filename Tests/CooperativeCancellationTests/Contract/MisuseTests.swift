import CooperativeCancellation
import FakeCallbackSDK
import Testing

@Suite("G6 misuse", .watchdog)
struct MisuseTests {
  @Test(arguments: BridgeForm.all)
  func `a second callback is ignored and reported with the call site`(form: BridgeForm) {
    let call = TestCall(form, .onDemand)
    call.run()
    call.backend.answer()
    call.run()
    #expect(call.watch.reports == [])
    call.backend.answer()
    #expect(call.ending == form.delivered)
    #expect(call.watch.discarded == form.values(1))
    #expect(call.watch.reports == form.reports(again: 1))
  }

  @Test(arguments: BridgeForm.all)
  func `a second callback inside operation is ignored and reported`(form: BridgeForm) {
    let call = TestCall(form, .inside(.success, .success))
    call.run()
    #expect(call.ending == form.delivered)
    #expect(call.watch.discarded == form.values(1))
    #expect(call.watch.reports == form.reports(again: 1))
  }

  @Test(arguments: BridgeForm.checking)
  func `the first late callback is silent and the second is reported`(form: BridgeForm) {
    let call = TestCall(form, .onDemand)
    call.run()
    call.cancel()
    call.run()
    call.backend.answer()
    #expect(call.watch.reports == [])
    call.backend.answer()
    #expect(call.watch.reports == form.reports(again: 1))
    #expect(call.watch.discarded == form.values(2))
  }

  @Test(arguments: BridgeForm.checking)
  func `a completion that is dropped after a cancellation is not misuse`(form: BridgeForm) {
    let call = TestCall(form, .onDemand)
    call.run()
    call.cancel()
    call.run()
    call.backend.drop()
    #expect(call.ending == form.cancelled)
    #expect(call.watch.reports == [])
  }

  /// Dropped inside the call, before the task waits; and dropped while it waits.
  @Test(arguments: BridgeForm.all, [Behavior.dropping, .onDemand])
  func `a dropped completion ends the wait where there is something to return`(
    form: BridgeForm,
    behavior: Behavior
  ) {
    let call = TestCall(form, behavior)
    call.run()
    call.backend.drop()
    call.run()
    switch form.kind {
    case .throwing:
      #expect(call.ending == .dropped(line: call.watch.line))
      #expect(call.watch.reports == [])
    case .fallback:
      #expect(call.ending == .fallback)
      #expect(call.watch.reports == [.completionDropped])
    case .unconditional:
      #expect(call.ending == (form.carriesValue ? nil : form.delivered))
      #expect(call.watch.reports == [.completionDropped])
    }
    #expect(call.watch.forwarded == 0)
  }

  @Test(arguments: BridgeForm.withFallback + BridgeForm.unconditional)
  func `a drop is reported where it happens, not when the task goes on`(form: BridgeForm) {
    let call = TestCall(form, .onDemand)
    call.run()
    call.backend.drop()
    #expect(call.watch.reports == [.completionDropped])
    #expect(call.ending == nil)
    call.run()
    #expect(call.watch.reports == [.completionDropped])
  }

  @Test(arguments: BridgeForm.withFallback, CancellationResponse.allCases)
  func `with a fallback, a drop after a cancellation is misuse only with deliverResult`(
    form: BridgeForm,
    response: CancellationResponse
  ) {
    let call = TestCall(form, .onDemand, Watch(response: response))
    call.run()
    call.cancel()
    call.run()
    call.backend.drop()
    call.run()
    #expect(call.ending == .fallback)
    #expect(call.watch.reports == (response == .deliverResult ? [.completionDropped] : []))
  }

  @Test(arguments: BridgeForm.unconditional.filter { !$0.carriesValue })
  func `without a fallback, a drop after a cancellation is misuse`(form: BridgeForm) {
    let call = TestCall(form, .onDemand)
    call.run()
    call.cancel()
    call.run()
    call.backend.drop()
    call.run()
    #expect(call.ending == form.delivered)
    #expect(call.watch.reports == [.completionDropped])
    #expect(call.watch.forwarded == 1)
  }

  @Test(arguments: BridgeForm.unconditional.filter(\.carriesValue))
  func `a wait that cannot end still forwards a cancellation`(form: BridgeForm) {
    let call = TestCall(form, .onDemand)
    call.run()
    call.backend.drop()
    call.run()
    call.cancel()
    call.run()
    #expect(call.ending == nil)
    #expect(call.watch.forwarded == 1)
  }
}

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
    #expect(text.contains("CooperativeCancellationTests/MisuseTests.swift:\(line)"))
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
    #expect(lines.filter { $0.contains("MisuseTests.swift:1: ") }.count == 2)
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
