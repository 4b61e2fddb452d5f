import CCallbacks
import CooperativeCancellation
import FakeCallbackSDK
import Foundation
import HostileCLibrary
import Testing

/// A job of the C library. `Sendable`, so that a test can look at it from its own task.
private final class Job: Sendable {
  private let address: UInt
  private let bufferAddress: UInt

  private var pointer: OpaquePointer? { OpaquePointer(bitPattern: address) }

  init(_ behavior: hostile_job_behavior, _ context: CallbackContext) throws {
    let buffer = UnsafeMutablePointer<Int32>.allocate(capacity: 1)
    buffer.initialize(to: 0)
    bufferAddress = UInt(bitPattern: buffer)
    var job: OpaquePointer?
    let status = hostile_job_start(
      behavior,
      { @Sendable in CallbackContext.call($0, $1, $2) },
      context.pointer,
      buffer,
      &job
    )
    address = UInt(bitPattern: job)
    guard status == 0 else { throw SDKError.failed }
  }

  deinit {
    let (address, bufferAddress) = (address, bufferAddress)
    // It waits for the job's thread, so it runs on another thread: here it would block one of the
    // pool's.
    Thread.detachNewThread {
      if let job = OpaquePointer(bitPattern: address) { hostile_job_destroy(job) }
      UnsafeMutablePointer<Int32>(bitPattern: bufferAddress)?.deallocate()
    }
  }

  func cancel() { hostile_job_cancel(pointer) }
  func finish() { hostile_job_finish(pointer) }
  var isOver: Bool { hostile_job_is_over(pointer) != 0 }
}

/// What the tests do during a call.
private final class Stage: Sendable {
  let callSite = CallSite(fileID: "Tests/OwnedContext", line: Reports.shared.uniqueLine())
  let hasStarted = Signal()
  let context = Protected<UInt>(0)
  let job = Protected<Job?>(nil)
  /// How many closures were kept at each call of `onCancel`.
  let forwarded = Protected<[Int]>([])

  /// How many closures are kept.
  var count: Int { ContextTable.count(at: callSite) }

  func started(_ context: CallbackContext, _ job: Job) {
    self.context.withLock { $0 = UInt(bitPattern: context.pointer) }
    self.job.withLock { $0 = job }
    hasStarted.fire()
  }

  /// What the library does with its destroy callback.
  func destroy() {
    CallbackContext.release(UnsafeMutableRawPointer(bitPattern: context.withLock { $0 }))
  }

  /// The recipe.
  nonisolated(nonsending) func work(
    _ behavior: hostile_job_behavior,
    _ response: CancellationResponse,
    timeout: Timeout? = nil
  ) async throws -> String {
    try await withAsyncThrowingValue(
      whenCancelled: response,
      timeout: timeout,
      line: callSite.line
    ) { completion in
      let context = CallbackContext(fileID: "Tests/OwnedContext", line: callSite.line) {
        (status: Int32, text: UnsafePointer<CChar>?) in
        guard let text, status == 0 else { return completion(.failure(SDKError.cancelled)) }
        completion(.success(String(cString: text)))
      }
      let job = try Job(behavior, context)
      started(context, job)
      return (context, job)
    } onCancel: { _, job in
      forwarded.withLock { $0.append(count) }
      job.cancel()
    }
  }
}

@Suite("C contexts that a bridge owns", .watchdog) struct OwnedContextTests {
  private static let begin = [
    HOSTILE_JOB_CALLS_BACK_IN_CANCEL, HOSTILE_JOB_CALLS_BACK_LATER, HOSTILE_JOB_NEVER_CALLS_BACK,
  ]

  @Test(arguments: CancellationResponse.allCases)
  func `an answer leaves nothing, and a job that is refused throws, and leaves nothing`(
    response: CancellationResponse
  ) async throws {
    let refused = Stage()
    await #expect(throws: SDKError.failed) { try await refused.work(HOSTILE_JOB_REFUSES, response) }
    #expect(refused.count == 0)
    let stage = Stage()
    let task = Task { try await stage.work(HOSTILE_JOB_CALLS_BACK_LATER, response) }
    await stage.hasStarted.wait()
    #expect(stage.count == 1)
    stage.job.withLock { $0 }?.finish()
    #expect(try await task.value == "done")
    #expect(stage.count == 0)
  }

  @Test(arguments: begin, CancellationResponse.heeding)
  func `a wait that is cancelled or times out ends as its response says, and leaves nothing`(
    behavior: hostile_job_behavior,
    response: CancellationResponse
  ) async {
    for cause in [Interruption.cancelled, .timedOut] {
      let stage = Stage()
      let timeout: Timeout? = cause == .timedOut ? .milliseconds(1) : nil
      let task = Task { try await stage.work(behavior, response, timeout: timeout) }
      await stage.hasStarted.wait()
      if cause == .cancelled { task.cancel() }
      let waits = !response.endsAtOnce
      let callsBack = behavior != HOSTILE_JOB_NEVER_CALLS_BACK
      if waits, !callsBack {
        while stage.job.withLock({ $0?.isOver }) != true { await Task.yield() }
        #expect(stage.count == 1, "it lives until the callback")
        stage.destroy()
      }
      let result = await task.result
      #expect {
        try result.get()
      } throws: { error in
        if response != .deliverResult {
          return cause == .cancelled ? error is CancellationError : error is TimeoutError
        }
        return callsBack ? error as? SDKError == .cancelled : error is DroppedCompletionError
      }
      #expect(stage.forwarded.withLock { $0 } == [1])
      if waits {
        #expect(
          stage.job.withLock { $0 }?.isOver == true,
          "the wait ended while C worked on the buffer"
        )
      }
      #expect(stage.count == 0)
      if callsBack || !waits { #expect(Reports.shared.kinds(line: stage.callSite.line) == []) }
    }
  }

  @Test
  func `a context that operation does not return is a dropped completion, and not a hang`() async {
    await #expect(throws: DroppedCompletionError.self) {
      try await withAsyncThrowingValue {
        (completion: @escaping @Sendable (Result<Int32, any Error>) -> Void) in
        _ = CallbackContext { (status: Int32) in completion(.success(status)) }
      }
    }
  }
}
