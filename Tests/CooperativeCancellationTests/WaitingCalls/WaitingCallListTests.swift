import CancellationInternals

@testable import CallbackSequences
import FakeCallbackSDK
import Foundation
import Testing

// To hold locks that the library holds only for a moment.
@testable import CooperativeCancellation

@Suite("The list of waiting calls", .watchdog) struct WaitingCallListTests {
  private let callSite = CallSite(line: Reports.shared.uniqueLine())

  init() { WaitingCalls.startRecording() }

  @Test func `the list has a line for each call, without the time that is left when it is over`() {
    func call(_ kind: WaitingCall.Kind, _ state: WaitingCall.State, _ task: String?) -> WaitingCall
    {
      let (callSite, begin) = (CallSite(fileID: "App/A.swift", line: 1), Moment(nanoseconds: 0))
      let end = Deadline.at(begin.advanced(by: 60_000_000_000))
      let record = Recorder.Record(kind, callSite, until: end, in: task) { _ in state }
      return WaitingCall(record, begin: begin, state, now: begin.advanced(by: 12_340_000_000))
    }
    let calls = [
      call(.call, .waiting, "refresh"), call(.pendingCall(id: 4711), .cancelled, nil),
      call(.turn(id: nil), .timedOut, nil), call(.element, .over, nil),
      call(.tasks(id: "scan", addedAt: CallSite(fileID: "App/B.swift", line: 2)), .waiting, nil),
      call(.element, .over, nil),
    ]
    #expect(WaitingCalls.describe([]) == "No calls are waiting.")
    #expect(
      WaitingCalls.describe(calls, atMost: 5) == """
        6 calls are waiting:
          12.3 s  App/A.swift:1, 47.7 s left, in the task "refresh"
          12.3 s  App/A.swift:1, cancelled, waiting for the SDK's answer, id 4711
          12.3 s  App/A.swift:1, timed out, waiting for the SDK's answer, waiting for its turn
          12.3 s  App/A.swift:1, has finished, but its actor is busy, waiting for an element
          12.3 s  App/A.swift:1, id "scan", waiting for the task added at App/B.swift:2 to end, 47.7 s left
          and 1 more
        """
    )
  }

  /// What the list says of a call.
  private func words() -> Substring {
    while true {
      // A table may be in use by another test.
      let line = WaitingCalls.list.split(separator: "\n").first { $0.contains("\(callSite)") }
      if let line, let range = line.firstRange(of: "\(callSite)") {
        return line[range.upperBound...]
      }
    }
  }

  // A thread that waits for a lock that it holds would trap or hang.

  @Test
  func `the list waits for no lock, and says that calls may be missing when a table is locked`() {
    let wait = Wait(response: .abandonCallback)
    let inbox = Inbox<Int>(.unbounded, onDiscard: nil, at: callSite)
    wait.interrupt(.cancelled)
    _ = inbox.yield(1)
    for isReader in [false, true] {
      let place =
        isReader ? inbox.recordReader() : Recorder.add(.call, callSite, wait.progress(mayBlock:))
      defer { place.leave() }
      // Another test's list may hold the call's lock for a moment.
      spin { words().hasPrefix(", has finished, but its actor is busy") }
      wait.state.locked { _ in
        inbox.state.locked { _ in #expect(!words().contains("has finished")) }
      }
      Recorder.tables[place.table].locked { _ in
        let list = WaitingCalls.list
        #expect(!list.contains("\(callSite)"))
        #expect(list.contains("\n  some calls may be missing ("))
      }
    }
  }

  @Test func `the list has only calls that waited at the same time`() {
    // So that it takes a while to copy the tables.
    let others = (0..<500).map { _ in Recorder.add(.call, CallSite()) { _ in .waiting } }
    defer { for other in others { other.leave() } }
    let (isOver, hasEnded) = (Protected(false), Gate())
    Thread.detachNewThread { [callSite] in
      // Objects that come and go, so that the calls are in different tables.
      var objects = (0..<64).map { _ in
        Recorder.Record(.call, callSite, until: nil, in: nil) { _ in .over }
      }
      var number = 0
      while !isOver.withLock({ $0 }) {
        let place = Recorder.add(.call, callSite) { _ in .waiting }
        number = (number * 5 + 1) % 64
        objects[number] = Recorder.Record(.call, callSite, until: nil, in: nil) { _ in .over }
        place.leave()
      }
      hasEnded.open()
    }
    for _ in 1...200 { #expect(WaitingCall.states(line: callSite.line).count <= 1) }
    isOver.withLock { $0 = true }
    hasEnded.pass()
  }
}
