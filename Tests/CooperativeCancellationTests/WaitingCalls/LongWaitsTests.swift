import CancellationInternals
@testable import CallbackSequences
import PendingAnswers
import FakeCallbackSDK
import Foundation
import Testing

@testable import CooperativeCancellation

/// The limits belong to the whole process, so most of these tests have processes of their own.
@Suite("Calls that wait too long", .watchdog) struct LongWaitsTests {
  @Test(arguments: [10_000_000, 995_000_000, 60_000_000_000] as [Int64], 1...10)
  func `are found once, never early, and at most a tenth late`(limit: Int64, seed: UInt64) throws {
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

  @Test func `are found at each look where a look may miss them`() {
    var search = LongWaitsMachine(findsAgain: true)
    search.limit = 1
    for time in [1_000_000, 2_000_000] as [Int64] {
      let found = search.look(at: Moment(nanoseconds: time))
      #expect(found?.contains(Moment(nanoseconds: 0)) == true)
    }
  }

  /// Lets a call wait ten times as long as the limits here.
  private static func letWait(line: UInt) async {
    while !WaitingCall.all.contains(where: { $0.callSite.line == line && $0.seconds > 0.2 }) {
      await Task.yield()
    }
  }

  /// A reader, a call, and a task that is to be cancelled wait, and after code that sets no limit, another call.
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
    WaitingCall.startRecording(reportingAfter: noLimit)
    async let second: Void = event.value(line: 2)
    await letWait(line: 2)
    while lines.withLock({ $0.count }) < expected.count { await Task.yield() }
    #expect(lines.withLock { $0 } == expected)
    event.resume()
    service.cancel()
    _ = try await (first, second)
  }

  @Test
  func `are reported until code sets no limit, or for as long as the environment says`() async {
    await #expect(processExitsWith: .success) {
      for noLimit in [nil, .seconds(0), .seconds(-1)] as [Timeout?] {
        try await Self.expectReports(lines: [1], noLimit: noLimit) {
          WaitingCall.startRecording(reportingAfter: .milliseconds(20))
        }
      }
    }
    await #expect(processExitsWith: .success) {
      setenv("COOPERATIVE_CANCELLATION_LONG_WAITS", "0.02", 1)
      try await Self.expectReports(lines: [1, 2]) {}
    }
  }

  @Test
  func `a variable of the environment that is no positive number is ignored, with a line`() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      setenv("COOPERATIVE_CANCELLATION_HANG_LIMIT", "5s", 1)
      for _ in 1...2 { WaitingCall.startRecording() }
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
      WaitingCall.startRecording()
      let place = Recorder.add(.call, CallSite()) { _ in .waiting }
      // Of the processor, ten times the limit: the first looks find the table locked.
      let end = clock() + CLOCKS_PER_SEC / 5
      Recorder.tables[place.table].locked { _ in while clock() < end {} }
      Gate().pass()
    }
  }

  /// A lock is held. The list fits into the pipe, because a busy machine may read it late.
  @Test
  func `end the process that has a hang limit, and are listed; readers do not end it`() async {
    let result = await #expect(
      processExitsWith: .signal(SIGABRT),
      observing: [\.standardErrorContent]
    ) {
      setenv("COOPERATIVE_CANCELLATION_HANG_LIMIT", "0.02", 1)
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
