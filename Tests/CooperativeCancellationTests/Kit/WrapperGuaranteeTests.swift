import CooperativeCancellation
import CooperativeCancellationTesting
import Dispatch
import FakeCallbackSDK
import PendingAnswers
import Testing

@Suite("The guarantees for a wrapper", .watchdog) struct WrapperGuaranteeTests {
  @Test(arguments: BrokenWrapper.all)
  func `a broken wrapper is caught, with the guarantees that it breaks, and the run goes on`(
    wrapper: BrokenWrapper
  ) async throws {
    let line: UInt = #line + 1
    let error = await #expect(throws: BrokenGuarantees.self) {
      try await checkDialling(wrapper.call)
    }
    let broken = try #require(error)
    #expect(Set(broken.guarantees) == Set(wrapper.guarantees), "\(broken)")
    let text = "\(broken)"
    #expect(text.hasPrefix("\(#fileID.split(separator: "/")[0])/PhoneBook.swift:\(line): "))
    for guarantee in wrapper.guarantees { #expect(text.contains("\n– \(guarantee.rawValue): ")) }
    for words in wrapper.words { #expect(text.contains(words)) }
    let lines = text.split(separator: "\n")
    #expect(Set(lines).count == lines.count, "each finding once")
    let told = lines.filter { $0.hasPrefix("– forwarding: ") }
    #expect(
      told.count == 1 || !text.contains("the value was not delivered"),
      "what is wrong with every cancelled call is not found again after an answer"
    )
  }

  @Test(arguments: CancellationResponse.allCases)
  func `a correct wrapper passes`(response: CancellationResponse) async throws {
    try await checkDialling(whenCancelled: response) { book in
      try await book.line(whenCancelled: response)
    }
  }

  @Test(
    arguments: [
      (.waitForCallback, .deliverResult), (.deliverResult, .waitForCallback),
      (.ignoreCancellation, .waitForCallback), (.waitForCallback, .abandonCallback),
      (.deliverResult, .abandonCallback),
    ] as [(CancellationResponse, CancellationResponse)]
  )
  func `a wrapper that responds in another way than it says is caught`(
    says: CancellationResponse,
    does: CancellationResponse
  ) async throws {
    let error = await #expect(throws: BrokenGuarantees.self) {
      try await checkDialling(whenCancelled: says) { try await $0.line(whenCancelled: does) }
    }
    #expect(error?.guarantees.contains(.lateAnswer) == true)
  }

  @Test func `values that change threads are counted when they have arrived`() async throws {
    let queue = DispatchQueue(label: "wrapper")
    try await checkDialling { book in
      try await book.line(
        dial: { completion in { result in queue.async { completion(result) } } },
        onCancel: { call in queue.async { call.cancel() } },
        onDiscard: { line in queue.async { line.hangUp() } }
      )
    }
  }

  @Test func `a timeout is tried although the SDK cannot cancel`() async throws {
    try await checkDialling(except: [.forwarding]) { try await $0.line(onCancel: { _ in }) }
    let error = await #expect(throws: BrokenGuarantees.self) {
      try await checkDialling(except: [.forwarding]) { book in
        try await PhoneBook(calls: book.calls).line(onCancel: { _ in })
      }
    }
    #expect(error?.guarantees == [.timeout])
  }

  @Test func `the report says what was not tried, and why`() async throws {
    let error = await #expect(throws: BrokenGuarantees.self) {
      try await checkWrapper { (calls: FakeCall<@Sendable () -> Void>) in
        let calls = await calls.wrapper { calls }
        try await withAsyncThrowingValue { calls.record($0) }
      } success: {
        $0()
      }
    }
    #expect(
      error?.leftOut == [
        "no `failure:`": [.error], "no clock": [.timeout], "no `values:`": [.nothingLost],
        "no `alwaysUnregisters: true`, for an SDK that must be stopped after an answer": [.closing],
      ]
    )
  }

  @Test func `no error is expected from a wrapper that cannot throw`() async throws {
    try await checkWrapper { calls in
      await withAsyncValue(fallback: 0) { completion in
        calls.record(completion)
      } onCancel: {
        $0.cancel()
      }
    } success: { (completion: @Sendable (Int) -> Void) in
      completion(1)
    }
  }

  @Test func `a wrapper that cannot throw and does not end is caught`() async throws {
    let error = await #expect(throws: BrokenGuarantees.self) {
      try await checkWrapper(except: [.checkAfter]) { calls in
        await withCheckedContinuation { continuation in
          _ = calls.record { continuation.resume(returning: $0) }
        }
      } success: { (completion: @Sendable (Int) -> Void) in
        completion(1)
      }
    }
    let broken = try #require(error)
    #expect(broken.guarantees == [.checkBefore, .prompt, .forwarding, .droppedCompletion])
    #expect(
      Set(broken.leftOut.values.joined()) == [
        .error, .timeout, .closing, .lateAnswer, .secondAnswer, .nothingLost, .noLockHeld,
        .twoCalls, .nextCall,
      ]
    )
    #expect(broken.description.contains("late answer, second answer, "))
    let severalCalls = "\n– not tried: two calls, next call (no `wrapper { … }`)\n"
    #expect(broken.description.contains(severalCalls))
    #expect(broken.description.contains(" (the wrapper did not end in another trial)"))
  }

  @Test func `the check ends when the test is cancelled`() async throws {
    let calls = Protected<[FakeCall<@Sendable () -> Void>]>([])
    let test = Task {
      try await checkWrapper(limit: .seconds(100_000)) { call in
        calls.withLock { $0.append(call) }
        try await PendingEvent<Void>().value()
      } success: { (completion: @Sendable () -> Void) in
        completion()
      }
    }
    while calls.withLock({ $0.isEmpty }) { await Task.yield() }
    test.cancel()
    await #expect(throws: CancellationError.self) {
      try await test.value(within: .watchdog)
    }
  }
}
