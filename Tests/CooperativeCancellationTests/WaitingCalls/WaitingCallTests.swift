import CooperativeCancellation
import CooperativeCancellationTesting
import FakeCallbackSDK
import Testing

// That every form of bridge and pending call is listed while it waits, and at no other time, is checked by each story of
// ``GuaranteeTests``, after each step.
@Suite("Waiting calls", .watchdog)
struct WaitingCallTests {
  init() {
    WaitingCall.startRecording()
  }

  @Test(arguments: [.waitForCallback, .deliverResult] as [CancellationResponse])
  func `says what the call waits for`(response: CancellationResponse) async throws {
    let clock = ManualClock()
    let watch = Watch(response: response, timeout: Timeout(.seconds(5), clock: clock))
    for interruption in [WaitingCall.State.cancelled, .timedOut] {
      let call = TestCall(.pendingByID, .onDemand, watch)
      call.run()
      #expect(WaitingCall.states(line: watch.line) == [.waiting])
      if interruption == .cancelled { call.cancel() } else { try await call.timeOut(clock) }
      #expect(WaitingCall.states(line: watch.line) == [.over])
      call.run()
      #expect(WaitingCall.states(line: watch.line) == [interruption])
      call.backend.answer()
      #expect(WaitingCall.states(line: watch.line) == [.over])
      call.run()
      #expect(WaitingCall.states(line: watch.line) == [])
      // The clock has seen both sleeps.
      if interruption == .cancelled { try await clock.waitForSleeper(within: .watchdog) }
    }
  }

  @Test
  func `has the time, the time that is left, and the task, oldest first`() async throws {
    let (start, line) = (ContinuousClock.now, Reports.shared.uniqueLine())
    let calls = PendingCalls<Int, Void>()
    func find() -> [WaitingCall] { WaitingCall.all.filter { $0.callSite.line == line } }
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
      #expect(found.map(\.taskName) == ["refresh", "refresh"])
    }
    calls.close(throwing: CancellationError())
    while !find().isEmpty { await Task.yield() }
  }
}

extension WaitingCall {
  /// The states of the calls that a test made with that line.
  static func states(line: UInt) -> [WaitingCall.State] {
    all.filter { $0.callSite.line == line }.map(\.state)
  }
}
