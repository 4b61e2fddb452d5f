import CooperativeCancellation
import CooperativeCancellationTesting
import FakeCallbackSDK
import Foundation
import Testing

/// Wrappers that differ from the usual one, and the faults that only such a wrapper can have.
@Suite("The guarantees for an unusual wrapper", .watchdog) struct WrapperModeTests {
  @Test(arguments: UnusualWrapper.correct)
  func `an unusual wrapper passes if it breaks no guarantee`(wrapper: UnusualWrapper) async throws {
    try await wrapper.check()
  }

  @Test(arguments: UnusualWrapper.broken)
  func `an unusual wrapper is told which guarantees it breaks, and no others`(
    wrapper: UnusualWrapper
  ) async throws {
    let error = await #expect(throws: BrokenGuarantees.self) { try await wrapper.check() }
    let report = try #require(error)
    #expect(Set(report.guarantees) == Set(wrapper.guarantees), "\(report)")
    #expect(report.description.contains(wrapper.words), "\(report)")
  }

  @Test(arguments: [false, true])
  func `a timer that goes on, or is missing, is noticed, and said once`(isMissing: Bool)
    async throws
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

  @Test func `the check ends although the wrapper blocks the pool`() async {
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

private struct OwnError: Error {}
