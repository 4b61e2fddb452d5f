import CancellationInternals
@testable import CallbackSequences
import CooperativeCancellationTesting
import PendingAnswers
import FakeCallbackSDK
import Foundation
import Testing

@testable import CooperativeCancellation

/// What the test of a wrapper may use first.
enum TestKitFunction: String, CaseIterable, Codable, Sendable {
  case checkWrapper
  case fakeCall
  case liveCount
  case manualClock
  case runtimeIssues
  case valueOfTask
  case waitForCalls

  func use() async throws {
    switch self {
    case .checkWrapper:
      try await CooperativeCancellationTesting.checkWrapper {
        (calls: FakeCall<@Sendable (Result<Int, any Error>) -> Void>) in
        try await withAsyncThrowingValue {
          calls.record($0)
        } onCancel: {
          $0.cancel()
        }
      } success: { completion in
        completion(.success(1))
      }
    case .fakeCall: _ = FakeCall<Int>()
    case .liveCount: _ = LiveCount()
    case .manualClock: _ = ManualClock()
    case .runtimeIssues: _ = await CooperativeCancellationTesting.runtimeIssues {}
    case .valueOfTask: _ = try await Task {}.value(within: .watchdog)
    case .waitForCalls: try await CooperativeCancellationTesting.waitForCalls(0)
    }
  }
}

/// The limits belong to the whole process, so most of these tests have processes of their own.
@Suite("Calls that wait too long", .watchdog) struct LongWaitsTests {
  @Test(arguments: [10_000_000, 995_000_000, 60_000_000_000] as [Int64], 1...10)
  func `long waits are found once, never early, and at most a tenth late`(
    limit: Int64,
    seed: UInt64
  ) throws {
    var random = SeededGenerator(seed: seed)
    var search = LongWaitsMachine()
    let found = search.look(at: Moment(nanoseconds: 0))
    #expect(found == nil, "there is no limit yet")
    search.limit = limit
    var calls = (0..<200).map { _ in
      Moment(nanoseconds: .random(in: -limit...(5 * limit), using: &random))
    }
    var now = Moment(nanoseconds: 0)
    while !calls.isEmpty {
      // The alarm may ring early, and more than once.
      now = now.advanced(by: .random(in: 0...search.pause, using: &random))
      let (found, again) = (search.look(at: now), search.look(at: now))
      let late = calls.filter { found?.contains($0) == true }
      #expect(late.allSatisfy { $0.nanoseconds(to: now) > limit })
      calls.removeAll { found?.contains($0) == true }
      try #require(calls.allSatisfy { $0.nanoseconds(to: now) <= limit / 10 * 11 })
      #expect(again == nil)
    }
  }

  @Test func `long waits are found at each look where a look may miss them`() {
    var search = LongWaitsMachine(findsAgain: true)
    search.limit = 1
    for time in [1_000_000, 2_000_000] as [Int64] {
      let found = search.look(at: Moment(nanoseconds: time))
      #expect(found?.contains(Moment(nanoseconds: 0)) == true)
    }
  }

  /// Lets a call wait ten times as long as the limits here.
  private static func letWait(line: UInt) async {
    while !WaitingCalls.all.contains(where: { $0.callSite.line == line && $0.seconds > 0.2 }) {
      await Task.yield()
    }
  }

  /// A reader, a call, and a task that is to be cancelled wait, and after code that sets no limit,
  /// another call.
  private static func expectReports(
    lines expected: [UInt],
    noLimit: Timeout? = nil,
    begin: () -> Void
  ) async throws {
    let lines = Protected<[UInt]>([])
    RuntimeIssue.handler = { report in lines.withLock { $0.append(report.callSite.line) } }
    begin()
    let inbox = Inbox<Int>(.unbounded, onDiscard: nil, at: CallSite(line: 0))
    let (event, place) = (PendingEvent<Void>(), inbox.recordReader())
    defer { place.leave() }
    let service = Task { await CooperativeCancellation.waitForCancellation(line: 3) }
    await letWait(line: 3)
    async let first: Void = event.value(line: 1)
    while lines.withLock({ $0.isEmpty }) { await Task.yield() }
    WaitingCalls.startRecording(reportingAfter: noLimit)
    async let second: Void = event.value(line: 2)
    await letWait(line: 2)
    while lines.withLock({ $0.count }) < expected.count { await Task.yield() }
    #expect(lines.withLock { $0 } == expected)
    event.resume()
    service.cancel()
    _ = try await (first, second)
  }

  @Test
  func `long waits are reported until code sets no limit, or as long as the environment says`()
    async
  {
    await #expect(processExitsWith: .success) {
      for noLimit in [nil, .seconds(0), .seconds(-1)] as [Timeout?] {
        try await Self.expectReports(lines: [1], noLimit: noLimit) {
          WaitingCalls.startRecording(reportingAfter: .milliseconds(20))
        }
      }
    }
    await #expect(processExitsWith: .success) {
      setenv("COOPERATIVE_CANCELLATION_LONG_WAITS", "0.02", 1)
      try await Self.expectReports(lines: [1, 2]) { _ = LiveCount() }
    }
  }

  @Test(arguments: TestKitFunction.allCases)
  func `the first use of the test kit starts the limits of the environment`(
    _ function: TestKitFunction
  ) async {
    let result = await #expect(
      processExitsWith: .success,
      observing: [\.standardErrorContent]
    ) { [function] in
      setenv("COOPERATIVE_CANCELLATION_LONG_WAITS", "3600", 1)
      try await function.use()
      #expect(Recorder.isOn, "calls are recorded")
      let hasLimit = LongWaits.reported.state.locked { $0.alarm != nil }
      #expect(hasLimit, "an alarm is set for the limit")
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text == "", "there is nothing to warn of")
  }

  @Test func `the test kit does not replace a limit that code has set`() async {
    await #expect(processExitsWith: .success) {
      setenv("COOPERATIVE_CANCELLATION_LONG_WAITS", "3600", 1)
      WaitingCalls.startRecording(reportingAfter: .seconds(1800))
      _ = LiveCount()
      let limit = LongWaits.reported.state.locked { $0.search.limit }
      #expect(limit == 1_800_000_000_000)
    }
  }

  @Test
  func `a variable of the environment that is no positive number is ignored, with a line`() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      setenv("COOPERATIVE_CANCELLATION_HANG_LIMIT", "5s", 1)
      for _ in 1...2 { WaitingCalls.startRecording() }
      for text in ["0", "-1", "nan", "inf", ""] {
        setenv("LIMIT", text, 1)
        let number = environmentNumber("LIMIT")
        #expect(number == nil, "\(text)")
      }
    }
    let reasons = ["0", "-1", "nan", "inf"].map { "LIMIT is \"\($0)\"" }
    let lines = (["COOPERATIVE_CANCELLATION_HANG_LIMIT is \"5s\""] + reasons).map {
      "CooperativeCancellation: \($0), not a positive number of seconds, and is ignored\n"
    }
    #expect(String(decoding: result?.standardErrorContent ?? [], as: UTF8.self) == lines.joined())
  }

  @Test func `a call that a locked table hides at first ends the process later`() async {
    await #expect(processExitsWith: .signal(SIGABRT)) {
      setenv("COOPERATIVE_CANCELLATION_HANG_LIMIT", "0.02", 1)
      WaitingCalls.startRecording()
      let place = Recorder.add(.call, CallSite()) { _ in .waiting }
      // Of the processor, ten times the limit: the first looks find the table locked.
      let end = clock() + CLOCKS_PER_SEC / 5
      Recorder.tables[place.table].locked { _ in while clock() < end {} }
      Gate().pass()
    }
  }

  /// A lock is held. The list fits into the pipe, because a busy machine may read it late.
  @Test
  func `a long wait ends the process that has a hang limit, and is listed; a reader does not`()
    async
  {
    let result = await #expect(
      processExitsWith: .signal(SIGABRT),
      observing: [\.standardErrorContent]
    ) {
      setenv("COOPERATIVE_CANCELLATION_HANG_LIMIT", "0.02", 1)
      _ = LiveCount()
      let inbox = Inbox<Int>(.unbounded, onDiscard: nil, at: CallSite(line: 1))
      for _ in 1...500 { _ = inbox.recordReader() }
      await Self.letWait(line: 1)
      inbox.state.locked { _ in
        _ = Recorder.add(.call, CallSite(line: 2)) { _ in .waiting }
        Gate().pass()
      }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains(": \(#fileID):2: this call has waited longer than 20 milliseconds"))
    #expect(text.components(separatedBy: "\(#fileID):1, waiting for an element\n").count > 400)
  }
}
