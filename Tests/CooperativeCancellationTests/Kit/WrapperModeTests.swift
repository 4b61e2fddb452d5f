import CallbackSequences
import CooperativeCancellation
import CooperativeCancellationTesting
import Dispatch
import FakeCallbackSDK
import Foundation
import PendingAnswers
import TaskBags
import Testing

private typealias Completion = @Sendable (Result<Int, any Error>) -> Void
private typealias Calls = FakeCall<Completion>

/// Correct wrappers that differ from the usual one, and the faults that only such a wrapper can have.
@Suite("The guarantees for a wrapper", .watchdog) struct WrapperModeTests {
  private struct OwnError: Error {}

  /// Checks a wrapper whose SDK answers with a number.
  private func check<Failure: Error>(
    whenCancelled response: CancellationResponse = .abandonCallback,
    alwaysUnregisters: Bool = false,
    except exceptions: Set<WrapperGuarantee> = [],
    _ wrapper: @escaping @Sendable @concurrent (Calls) async throws(Failure) -> Int
  ) async throws {
    try await checkWrapper(
      whenCancelled: response,
      alwaysUnregisters: alwaysUnregisters,
      except: exceptions,
      wrapper,
      success: { $0(.success(1)) },
      failure: { $0(.failure(SDKError.failed)) }
    )
  }

  private func expect(
    _ guarantees: [WrapperGuarantee],
    _ words: String = "–",
    sourceLocation: SourceLocation = #_sourceLocation,
    from check: () async throws -> Void
  ) async {
    let error = await #expect(throws: BrokenGuarantees.self, sourceLocation: sourceLocation) {
      try await check()
    }
    #expect(
      error.map { Set($0.guarantees) } == Set(guarantees),
      "\(error.map(\.description) ?? "")"
    )
    #expect(error?.description.contains(words) == true, "\(error.map(\.description) ?? "")")
  }

  @Test func `allow any error where there can be no CancellationError`() async throws {
    try await check { calls async throws(OwnError) in
      do {
        return try await value(of: calls)
      } catch {
        throw OwnError()
      }
    }
    await expect([.checkBefore]) {
      try await check { calls async throws(OwnError) in
        do {
          return try await value(of: calls)
        } catch is CancellationError where calls.callCount == 0 {
          return 0
        } catch {
          throw OwnError()
        }
      }
    }
  }

  @Test func `wait for a cancellation that goes another way to the SDK`() async throws {
    let queue = DispatchQueue(label: "the SDK's")
    try await check { calls in
      try await value(of: calls, onCancel: { call in queue.async { call.cancel() } })
    }
    try await check { calls in
      try await value(
        of: calls,
        onCancel: { call in Task { @MainActor in Task.detached { call.cancel() } } }
      )
    }
    await expect([.forwarding], "told to cancel 2 times") {
      try await check { calls in
        try await value(
          of: calls,
          onCancel: { call in Task { for _ in 1...2 { call.cancel() } } }
        )
      }
    }
  }

  @Test func `let a wrapper try again`() async throws {
    try await check { calls in
      for attempt in 1... {
        do {
          return try await value(of: calls)
        } catch SDKError.failed where attempt < 3 {
          continue
        }
      }
      return 0
    }
    await expect([.error], "an error to each of ") {
      try await check { calls in
        while true {
          do {
            return try await value(of: calls)
          } catch SDKError.failed {
            await Task.yield()
          }
        }
      }
    }
  }

  @Test func `demand that a listener is always removed`() async throws {
    @Sendable func listen(
      to calls: Calls,
      isRemoved: @Sendable (Bool) -> Bool
    ) async throws -> Int {
      let listener = Protected<Calls.Request?>(nil)
      defer { if isRemoved(Task.isCancelled) { listener.withLock { $0 }?.cancel() } }
      return try await withAsyncThrowingValue { completion in
        let made = calls.record(completion)
        listener.withLock { $0 = made }
      }
    }
    try await check(alwaysUnregisters: true) { try await listen(to: $0) { _ in true } }
    await expect([.closing], "never told to stop or to close when the SDK reported an error") {
      try await check(alwaysUnregisters: true) { try await listen(to: $0) { $0 } }
    }
    await expect([.answer, .error], "alwaysUnregisters: true") {
      try await check { try await listen(to: $0) { _ in true } }
    }
  }

  @Test func `hand a request over after the cancellation`() async {
    await expect([.forwarding], "before the SDK delivered its request") {
      try await check { calls in
        let request = Protected<Calls.Request?>(nil)
        return try await withAsyncThrowingValue { completion in
          calls.record(completion).deliver { arrived in request.withLock { $0 = arrived } }
        } onCancel: { _ in
          request.withLock { $0 }?.cancel()
        }
      }
    }
  }

  @Test func `accept a hand-written wrapper whose handler is active until the function returns`()
    async throws
  {
    // Its handler cancels the SDK under the runtime's lock.
    try await check(except: [.noLockHeld]) { calls in
      try Task.checkCancellation()
      let call = Protected<Calls.Request?>(nil)
      @Sendable func cancel() { call.withLock { $0.take() }?.cancel() }
      return try await withTaskCancellationHandler {
        let value = try await withCancellableThrowingContinuation {
          (continuation: CancellableContinuation<Int, any Error>) in
          let made = calls.record { result in continuation.resume(with: result) }
          call.withLock { $0 = made }
          if Task.isCancelled { cancel() }
        }
        try Task.checkCancellation()
        return value
      } onCancel: {
        cancel()
      }
    }
  }

  @Test func `do not blame a separate task that ended before the cancellation`() async throws {
    try await check { calls in
      let number = try await withAbandonableTask { try await value(of: calls) }
      try Task.checkCancellation()
      return number
    }
  }

  // MARK: Two calls

  private func checkShared(
    except exceptions: Set<WrapperGuarantee> = [.droppedCompletion],
    _ wrapper: @escaping @Sendable () -> Uploader
  ) async throws {
    // Some keep the completion.
    try await check(except: exceptions) { calls in
      try await calls.wrapper(wrapper).upload(calls)
    }
  }

  @Test func `let two calls run side by side, or one after the other`() async throws {
    let wrappers = LiveCount()
    try await checkShared { .bridged(wrappers) }
    try await checkShared { .queued() }
    try await checkShared { .inLine(canLeave: true) }
    #expect(wrappers.count == 0)
  }

  @Test func `notice a call that disturbs another`() async {
    let exceptions: Set<WrapperGuarantee> = [.droppedCompletion, .nextCall]
    let faulty: [(make: @Sendable () -> Uploader, words: String)] = [
      ({ .inOneSlot(keepsAll: true) }, "did not end"),
      ({ .inOneField() }, "cancel the other one"),
      ({ .refusing() }, "while another call waited"),
      // On a busy machine, that shows only when the SDK answers the other one.
      ({ .inOneSlot(keepsAll: false) }, "of two calls"),
      ({ .inLine(canLeave: false) }, "was cancelled while it waited for its turn"),
    ]
    for (make, words) in faulty {
      await expect([.twoCalls], words) { try await checkShared(except: exceptions, make) }
    }
    await expect([.twoCalls], "the second of two calls was cancelled, the SDK was told to cancel") {
      try await checkWrapper(except: exceptions, limit: .watchdog) { calls in
        try await calls.wrapper { Uploader.inOneField(keepsFirst: true) }.upload(calls)
      } success: {
        $0(.success(1))
      }
    }
  }

  @Test(arguments: Remembering.Fault.allCases)
  func `notice a call that disturbs the next one`(fault: Remembering.Fault) async {
    // Not only after the remedy for a second call that is refused.
    await expect([fault == .told ? .forwarding : .nextCall], fault.rawValue) {
      try await checkShared(except: [.droppedCompletion, .twoCalls]) { .remembering(fault) }
    }
  }

  @Test func `heed an exception in the trials of later calls`() async throws {
    try await checkShared(except: [.error, .answerInsideCall, .twoCalls, .droppedCompletion]) {
      .remembering(.failure)
    }
  }

  // MARK: Locks and timers

  @Test func `notice a lock that is held while the SDK is cancelled`() async {
    await expect([.noLockHeld], "a lock that the completion takes") {
      try await check { calls in
        let lock = NSLock()
        return try await withAsyncThrowingValue { (completion: @escaping Completion) in
          calls.record { result in
            lock.withLock {}
            completion(result)
          }
        } onCancel: { call in
          lock.withLock { call.cancel() }
        }
      }
    }
  }

  @Test(arguments: [false, true])
  func `notice a timer that goes on, or is missing, and say that once`(isMissing: Bool) async throws
  {
    let error = await #expect(throws: BrokenGuarantees.self) {
      // A check after the inner task would withhold a value, and could no longer tell the SDK.
      try await checkWrapper(except: [.checkAfter]) { (calls: Calls, clock) in
        try Task.checkCancellation()
        let call = Task { try await value(of: calls) }
        let deadline = clock.now.advanced(by: .seconds(5))
        let isLate = Protected(false)
        if !isMissing {
          Task {
            try await clock.sleep(until: deadline)
            isLate.withLock { $0 = true }
            call.cancel()
          }
        }
        do {
          return try await withTaskCancellationHandler {
            try await call.value
          } onCancel: {
            call.cancel()
          }
        } catch is CancellationError where isLate.withLock({ $0 }) {
          throw OwnError()
        }
      } success: {
        $0(.success(1))
      } failure: {
        $0(.failure(SDKError.failed))
      }
    }
    let text = try #require(error?.description)
    #expect(error?.guarantees == [.timeout], "\(text)")
    #expect(text.contains(isMissing ? "nothing used the clock within" : "the wrapper's timer kept"))
    #expect(error?.leftOut["no `wrapper { … }`"] == [.twoCalls, .nextCall])
  }

  // MARK: Exceptions

  @Test func `report a second cancellation by a timer although timeouts are excepted`() async {
    await expect([.forwarding], "the wrapper's timer kept running") {
      try await checkWrapper(except: [.timeout]) { (calls: Calls, clock) in
        try await withAsyncThrowingValue { (completion: @escaping Completion) in
          calls.record(completion)
        } onCancel: { call in
          call.cancel()
          Task {
            try await clock.sleep(until: clock.now.advanced(by: .seconds(5)))
            call.cancel()
          }
        }
      } success: {
        $0(.success(1))
      }
    }
  }

  @Test func `report nothing else about answers after a cancellation if one kind is excepted`()
    async throws
  {
    @Sendable func cancelBeforeTheEnd(_ calls: Calls) async throws -> Int {
      try Task.checkCancellation()
      return try await withCancellableThrowingContinuation(whenCancelled: .deliverResult) {
        (continuation: CancellableContinuation<Int, any Error>) in
        let waiting = Protected<CancellableContinuation<Int, any Error>?>(continuation)
        let call = calls.record { result in waiting.withLock { $0.take() }?.resume(with: result) }
        return (call, waiting)
      } onCancel: { (call: Calls.Request, waiting) in
        call.cancel()
        waiting.withLock { $0.take() }?.resume(throwing: CancellationError())
      }
    }
    await expect([.checkAfter]) {
      try await check(except: [.droppedCompletion], cancelBeforeTheEnd)
    }
    try await check(except: [.droppedCompletion, .checkAfter], cancelBeforeTheEnd)
  }

  @Test func `leave out no trial because of a hang that is excepted`() async {
    // Waits for the SDK, and delivers what came before the cancellation. Only trials that a hang
    // may leave out notice that.
    await expect([.checkAfter, .lateAnswer]) {
      try await check(except: [.prompt]) { calls in
        try Task.checkCancellation()
        return try await withCancellableThrowingContinuation(whenCancelled: .waitForCallback) {
          (continuation: CancellableContinuation<Int, any Error>) in
          calls.record { result in continuation.resume(with: result) }
        } onCancel: { (call: Calls.Request) in
          call.cancel()
        }
      }
    }
  }

  // MARK: Threads

  @Test func `end although the wrapper blocks the pool`() async {
    await #expect(processExitsWith: .success) {
      let error = await #expect(throws: BrokenGuarantees.self) {
        try await checkWrapper { calls in
          await Task.detached {
            let gate = Gate()
            _ = calls.record { (_: Int) in gate.open() }
            @Sendable func pass() {
              gate.pass()
              gate.open()
            }
            for _ in 1...ProcessInfo.processInfo.activeProcessorCount { Task { pass() } }
            pass()
          }.value
        } success: { (completion: @Sendable (Int) -> Void) in
          completion(1)
        }
      }
      #expect(error?.guarantees == [.checkBefore, .prompt, .forwarding])
    }
  }
}

/// The usual wrapper, but for what is given.
private func value(
  of calls: Calls,
  wrapping wrap: (@escaping Completion) -> Completion = { $0 },
  onCancel cancel: (Calls.Request) -> Void = { $0.cancel() }
) async throws -> Int {
  try await withAsyncThrowingValue { completion in
    calls.record(wrap(completion))
  } onCancel: {
    cancel($0)
  }
}

/// A wrapper that its calls share.
private struct Uploader: Sendable {
  let upload: @Sendable (Calls) async throws -> Int
}

extension Uploader {
  static func bridged(_ count: LiveCount) -> Uploader {
    let member = LiveCount.Member(of: count)
    return Uploader { calls in
      defer { withExtendedLifetime(member) {} }
      return try await value(of: calls)
    }
  }

  static func queued() -> Uploader {
    let pending = PendingCall<Int>()
    return Uploader { calls in
      try await pending.value {
        calls.record { pending.resume(with: $0) }
      } onCancel: {
        $0.cancel()
      }
    }
  }

  /// The SDK answers the completion that was stored last, for whatever call. The slot may keep the earlier ones.
  static func inOneSlot(keepsAll: Bool) -> Uploader {
    let completions = Protected<[Completion]>([])
    return Uploader { calls in
      try await value(of: calls) { completion in
        let earlier = completions.withLock { completions in
          defer { completions = keepsAll ? completions + [completion] : [completion] }
          return completions
        }
        withExtendedLifetime(earlier) {}
        return { result in completions.withLock { $0.last }?(result) }
      }
    }
  }

  /// Cancels the request that was made last, or first.
  static func inOneField(keepsFirst: Bool = false) -> Uploader {
    let request = Protected<Calls.Request?>(nil)
    return Uploader { calls in
      try await withAsyncThrowingValue { completion in
        let made = calls.record(completion)
        request.withLock { if $0 == nil || !keepsFirst { $0 = made } }
      } onCancel: { _ in
        request.withLock { $0 }?.cancel()
      }
    }
  }

  static func refusing() -> Uploader {
    let isBusy = Protected(false)
    return Uploader { calls in
      let mayCall = isBusy.withLock { isBusy in
        defer { isBusy = true }
        return !isBusy
      }
      guard mayCall else { throw SDKError.failed }
      defer { isBusy.withLock { $0 = false } }
      return try await value(of: calls)
    }
  }

  /// One call at a time. One that waits for its turn may be unable to leave.
  static func inLine(canLeave: Bool) -> Uploader {
    let response: CancellationResponse = canLeave ? .abandonCallback : .ignoreCancellation
    let line = Protected<(isBusy: Bool, waiting: [CancellableContinuation<Void, any Error>])>(
      (false, [])
    )
    @Sendable func letNextOneCall() {
      let next = line.withLock { line in
        line.isBusy = !line.waiting.isEmpty
        return line.isBusy ? line.waiting.removeFirst() : nil
      }
      // It may have left.
      if let next, !next.tryResume() { letNextOneCall() }
    }
    return Uploader { calls in
      try Task.checkCancellation()
      try await withCancellableThrowingContinuation(whenCancelled: response) { turn in
        let isFree = line.withLock { line in
          defer { line.isBusy = true }
          if line.isBusy { line.waiting.append(turn) }
          return !line.isBusy
        }
        if isFree { turn.resume() }
      }
      defer { letNextOneCall() }
      return try await value(of: calls)
    }
  }

  static func remembering(_ fault: Remembering.Fault) -> Uploader {
    Uploader(upload: Remembering(fault).upload)
  }
}

/// What one call leaves in the wrapper changes the next.
final class Remembering: Sendable {
  enum Fault: String, CaseIterable {
    case cancellation = "called again after the task was cancelled, and did not call the SDK"
    case failure = "called again after the SDK reported an error, and did not call the SDK"
    case completion = "the SDK's late answer to the previous call ended the next one"
    case request = "the SDK was told to cancel the previous call when it was called again"
    case told = "told to cancel when the task was cancelled in a second call"
  }

  private let fault: Fault
  private let error = Protected<(any Error)?>(nil)
  private let completion = Protected<Completion?>(nil)
  private let request = Protected<Calls.Request?>(nil)

  init(_ fault: Fault) { self.fault = fault }

  fileprivate func upload(_ calls: Calls) async throws -> Int {
    if fault == .request { request.withLock { $0 }?.cancel() }
    if let error = error.withLock({ $0 }) { throw error }
    do {
      return try await value(of: calls) { [self] completion in
        if fault != .completion { return completion }
        self.completion.withLock { $0 = completion }
        return { [self] result in self.completion.withLock { $0.take() }?(result) }
      } onCancel: { call in
        let isFirst = request.withLock { request in
          defer { request = call }
          return request == nil
        }
        if isFirst || fault != .told { call.cancel() }
      }
    } catch {
      if error is CancellationError ? fault == .cancellation : fault == .failure {
        self.error.withLock { $0 = error }
      }
      throw error
    }
  }
}
