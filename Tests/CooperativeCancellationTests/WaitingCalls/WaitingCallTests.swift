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

  @Test(arguments: SequenceForm.all, WayToEnd.allCases)
  func `a reader is listed while it waits for an element`(form: SequenceForm, way: WayToEnd) {
    guard way.exists(in: form) else { return }
    let read = TestRead(form, limit: way.limit)
    let line = read.watch.line
    #expect(WaitingCall.states(line: line) == [])
    read.perform(.run)
    #expect(WaitingCall.states(line: line) == [.waiting])
    read.perform(.play)
    #expect(WaitingCall.states(line: line) == [.over])
    read.perform(.run)
    #expect(WaitingCall.states(line: line) == (way == .leave ? [] : [.waiting]))
    read.perform(way.steps + [.run])
    #expect(WaitingCall.states(line: line) == [])
  }

  @Test
  func `a reader of a standard stream is listed by its sequence`() async throws {
    let (mast, line) = (Mast(), Reports.shared.uniqueLine())
    let stream = SendableCallbackSequence {
      AsyncCallbackSequence(buffering: .unbounded, line: line) { yield in
        FakeStation(mast).addListener(yield)
      } onTermination: { listener in
        listener.remove()
      }
    }.asyncStream()
    let task = Task {
      for await song in stream { return song.title }
      return ""
    }
    while WaitingCall.states(line: line) != [.waiting] { await Task.yield() }
    mast.play()
    #expect(try await task.value(within: .watchdog) == "1")
    #expect(WaitingCall.states(line: line) == [])
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
  func `its text has the place, the state, the id, the time that is left, and the task`()
    async throws
  {
    let lines = (1...3).map { _ in Reports.shared.uniqueLine() }
    let (calls, one) = (PendingCalls<Int, Void>(), PendingCall<Void>())
    let tasks = [
      Task(name: "refresh") {
        try await calls.value(for: 4711, timeout: .seconds(100_000), line: lines[0]) {}
      },
      Task {
        try await one.value(line: lines[1]) {}
      },
    ]
    func texts(_ line: UInt) -> [String] {
      WaitingCall.all.filter { $0.callSite.line == line }.map { "\($0)" }
    }
    while texts(lines[0]).isEmpty || texts(lines[1]).isEmpty { await Task.yield() }
    let next = Task { try await one.value(line: lines[2]) {} }
    while texts(lines[2]).isEmpty { await Task.yield() }
    let text = try #require(texts(lines[0]).first)
    #expect(text.hasPrefix("\(#fileID):\(lines[0]), id 4711, "))
    // Systems before macOS 26 have no names of tasks.
    #expect(text.contains(" s left, in the task \"refresh\"") || text.hasSuffix(" s left"))
    #expect(texts(lines[1]) == ["\(#fileID):\(lines[1])"])
    #expect(texts(lines[2]) == ["\(#fileID):\(lines[2]), waits for its turn"])
    let all = WaitingCall.all
    #expect(all.map(\.seconds) == all.map(\.seconds).sorted(by: >))
    #expect(WaitingCall.list.contains(" s  \(texts(lines[2])[0])"))
    for task in tasks + [next] { task.cancel() }
    for task in tasks + [next] { _ = await task.result }
    #expect(texts(lines[0]) + texts(lines[1]) + texts(lines[2]) == [])
  }

  @Test
  func `a list says what it leaves out`() async {
    #expect(WaitingCall.describe([]) == "No call waits.")
    let event = PendingEvent<Void>()
    let line = Reports.shared.uniqueLine()
    async let first: Void? = try? event.value(line: line)
    async let second: Void? = try? event.value(line: line)
    while WaitingCall.states(line: line).count < 2 { await Task.yield() }
    let calls = WaitingCall.all.filter { $0.callSite.line == line }
    let shortened = WaitingCall.describe(calls, atMost: 1)
    #expect(shortened.hasPrefix("2 calls wait:\n"))
    #expect(shortened.hasSuffix("\(#fileID):\(line)\n  and 1 more"))
    event.resume()
    _ = await (first, second)
  }

  @Test
  func `a call that waits too long is reported once, and goes on`() async throws {
    await #expect(processExitsWith: .success) {
      let reports = Protected<[MisuseReport]>([])
      MisuseReport.handler = { report in reports.withLock { $0.append(report) } }
      let (never, later) = (PendingEvent<Void>(), PendingEvent<Void>())
      let station = FakeStation(Mast())
      let start = ContinuousClock.now
      WaitingCall.startRecording(reportingAfter: .milliseconds(20))
      let reader = Task {
        let songs = AsyncCallbackSequence(buffering: .unbounded, line: 3) { yield in
          station.addListener(yield)
        } onTermination: { listener in
          listener.remove()
        }
        for await _ in songs {}
      }
      while WaitingCall.states(line: 3).isEmpty { await Task.yield() }
      let task = Task { try await never.value(line: 1) }
      while reports.withLock({ $0.isEmpty }) { await Task.yield() }
      #expect(start.duration(to: .now) >= .milliseconds(20), "never early")
      let secondStart = ContinuousClock.now
      let second = Task { try await later.value(line: 2) }
      while reports.withLock({ $0.count < 2 }) { await Task.yield() }
      #expect(secondStart.duration(to: .now) >= .milliseconds(20), "never early")
      #expect(
        reports.withLock { $0 }.map(\.callSite.line) == [1, 2],
        "each once, although both wait; not the reader"
      )
      #expect(reports.withLock { $0 }.allSatisfy { $0.kind == .longWait })
      #expect(reports.withLock { "\($0[0])" }.contains("has waited longer than 20 milliseconds"))
      never.close()
      later.close()
      try await task.value
      try await second.value
      reader.cancel()
      await reader.value
    }
  }

  @Test
  func `many calls at once are listed, and leave nothing behind`() async throws {
    let line = Reports.shared.uniqueLine()
    let event = PendingEvent<Void>()
    await withTaskGroup { group in
      for _ in 1...tries(1000) { group.addTask { try? await event.value(line: line) } }
      while event.count < tries(1000) { await Task.yield() }
      #expect(WaitingCall.states(line: line).count == tries(1000))
      event.resume()
    }
    #expect(WaitingCall.states(line: line) == [])
  }

  @Test
  func `a million calls leave nothing behind`() async throws {
    let line = Reports.shared.uniqueLine()
    await withThrowingTaskGroup { group in
      for _ in 1...4 {
        group.addTask {
          for _ in 1...(isDebug ? 5_000 : 250_000) {
            await withAsyncValue(line: line) { done in Task { done() } }
          }
        }
      }
    }
    #expect(WaitingCall.states(line: line) == [])
  }

  /// A thread asks what waits, while calls on another begin and end.
  @Test
  func `a list may be made while calls begin and end`() async throws {
    let line = Reports.shared.uniqueLine()
    var seen = Split(of: 0...1)
    while seen.goesOn(for: tries(200)) {
      let task = Task.detached {
        for _ in 1...20 {
          let sdk = FakeCall<@Sendable (Int) -> Void>()
          sdk.whenCalled { $0.answerOnAnotherThread { $0(1) } }
          _ = try await withAsyncThrowingValue(line: line) { sdk.record($0) }
        }
      }
      for _ in 1...20 {
        let count = WaitingCall.states(line: line).count
        try #require(count <= 1)
        seen[count] += 1
        _ = WaitingCall.list
        await Task.yield()
      }
      try await task.value
      #expect(WaitingCall.states(line: line) == [])
    }
    print("Seen while calls begin and end: \(seen)")
  }
}

extension WaitingCall {
  /// The states of the calls that a test made with that line.
  static func states(line: UInt) -> [WaitingCall.State] {
    all.filter { $0.callSite.line == line }.map(\.state)
  }
}
