import CallbackSequences
import CooperativeCancellation
import CooperativeCancellationTesting
import FakeCallbackSDK
import PendingAnswers
import TaskBags
import Testing

// Each story of ``GuaranteeTests`` checks after each step that its form is listed while it waits,
// and at no other time.
@Suite("Waiting calls", .watchdog) struct WaitingCallTests {
  init() { WaitingCalls.startRecording() }

  /// The end of each line with that number, after its call site.
  private func words(line: UInt) -> [String] {
    WaitingCalls.all.filter { $0.callSite.line == line }.map {
      String($0.text.dropFirst("\($0.callSite)".count))
    }
  }

  @Test func `a waiting call says its id, and whether it waits for a turn`() async {
    let (call, calls) = (PendingCall<Void>(), PendingCalls<Int, Void>(ifTaken: .waitForTurn))
    for id in ["", ", id 7"] {
      let line = Reports.shared.uniqueLine()
      for expected in [[id], [id, id + ", waiting for its turn"]] {
        Task {
          if id == "" { try await call.value(line: line) {} }
          try await calls.value(for: 7, line: line) {}
        }
        while words(line: line).count < expected.count { await Task.yield() }
        #expect(words(line: line) == expected)
      }
    }
    call.close(throwing: CancellationError())
    calls.close(throwing: CancellationError())
  }

  @Test func `a wait for the tasks of a bag is listed where it is made, and says so`() async {
    let (bag, line, gate) = (TaskBag(), Reports.shared.uniqueLine(), Signal())
    bag.add { await gate.wait() }
    let waits = [
      Task { try await bag.waitForAll(line: line) },
      Task { await bag.drain(cancellingAfter: .seconds(100_000), line: line) },
      Task { await bag.drain(cancellingAfter: .seconds(0), line: line) },
    ]
    while words(line: line).count < 3 { await Task.yield() }
    #expect(words(line: line).allSatisfy { $0.hasPrefix(", waiting for its tasks to end") })
    gate.fire()
    for wait in waits { _ = await wait.result }
  }

  @Test func `a reader that waits for a busy home is listed as a reader of its sequence`() {
    let (actor, mast, watch) = (HandDrivenActor(), Mast(), SequenceWatch())
    let songs = actor.assumeIsolated {
      SequenceForm.finishing(Never.self, mast, watch, $0).sendable(isolation: $0)
    }
    let read = TestRead(mast, watch) { Reader(songs, \.title) }
    // It registers, and after the end, unregisters.
    for expected in [[], [.subscribed]] as [[SequenceWatch.Event]] {
      read.perform(.run)
      #expect(watch.events == expected)
      #expect(words(line: watch.line) == [", waiting for an element"])
      actor.executor.runUntilIdle()
      read.perform(.run, .end)
    }
    #expect(words(line: watch.line) == [])
    #expect(watch.events == [.subscribed, .terminated])
  }

  @Test func `waiting calls say their time, the time that is left, and the task, oldest first`()
    async throws
  {
    let (start, line) = (ContinuousClock.now, Reports.shared.uniqueLine())
    let calls = PendingCalls<Int, Void>()
    func find() -> [WaitingCall] { WaitingCalls.all.filter { $0.callSite.line == line } }
    for id in 1...2 {
      Task(name: "refresh") {
        try await calls.value(for: id, timeout: .seconds(100_000), line: line) {}
      }
      while find().count < id { await Task.yield() }
    }
    let found = find()
    let elapsed = start.duration(to: .now) / .seconds(1)
    #expect(found.map(\.seconds) == found.map(\.seconds).sorted(by: >))
    #expect(found.allSatisfy { (0...elapsed).contains($0.seconds) })
    #expect(found.allSatisfy { (0...elapsed).contains(100_000 - ($0.secondsLeft ?? 0)) })
    if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
      #expect(found.allSatisfy { $0.text.hasSuffix(", in the task \"refresh\"") })
    }
    calls.close(throwing: CancellationError())
    while !find().isEmpty { await Task.yield() }
  }
}

extension WaitingCall {
  /// The states of the calls that a test made with that line.
  static func states(line: UInt) -> [WaitingCall.State] {
    WaitingCalls.all.filter { $0.callSite.line == line }.map(\.state)
  }
}
