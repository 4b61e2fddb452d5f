import CooperativeCancellation

// Recording cannot be stopped. These scenarios are the last ones of `all`, so that the others run
// without it in release.

extension Scenario {
  static let waitingCalls =
    [
      listBeforeAndAfter, listOnActor, listInTask(otherLine: 17), listInTask(otherLine: 2),
      oneAfterTheOther,
    ] + [longWait, twoLongWaits, otherLimit]

  // MARK: The list

  /// With a limit that no call reaches.
  private static let startRecording: Void = WaitingCalls.startRecording(
    reportingAfter: .seconds(3600)
  )

  /// Calls an SDK from a line, which also decides in which table the call is.
  nonisolated(nonsending) private static func wait(
    _ response: CancellationResponse = .abandonCallback,
    atLine line: UInt,
    _ sdk: (@escaping @Sendable (Int) -> Void) -> Void,
    onCancel: () -> Void = {}
  ) async {
    _ = try? await withAsyncThrowingValue(whenCancelled: response, line: line) {
      (completion: @escaping @Sendable (Int) -> Void) in
      sdk(completion)
    } onCancel: {
      onCancel()
    }
  }

  private static func isListed(_ line: UInt, in list: String) -> Bool {
    list.split(separator: "\n").contains {
      $0.hasSuffix("waitingCalls.swift:\(line)") || $0.contains("waitingCalls.swift:\(line),")
    }
  }

  private static let listBeforeAndAfter = Scenario(
    "waiting calls: list, call, list",
    outcomes: ["nothing listed"]
  ) { run in
    startRecording
    run.task("call") {
      await wait(atLine: 1) { completion in
        run.thread("SDK") { completion(1) }
        if isListed(1, in: WaitingCalls.list) { run.saw("listed before it waits") }
      }
      run.saw(
        isListed(1, in: WaitingCalls.list) ? "listed after it has returned" : "nothing listed"
      )
    }
  }

  /// On one actor, the list is made while the call sleeps, or before or after it.
  private static let listOnActor = Scenario(
    "waiting calls: answer, list on the actor",
    outcomes: ["not waiting", "listed", "listed as over"]
  ) { run in
    startRecording
    let isWaiting = Shared(false)
    run.task("call") { @MainActor in
      await wait(atLine: 1) { completion in
        run.thread("SDK") { completion(1) }
        isWaiting.value = true
      }
      isWaiting.value = false
    }
    run.task("list") { @MainActor in
      let list = WaitingCalls.list
      run.expect(isListed(1, in: list) == isWaiting.value, "waits: \(isWaiting.value); \(list)")
      let word = list.contains("has finished") ? "listed as over" : "listed"
      run.saw(isWaiting.value ? word : "not waiting")
    }
  }

  /// A call is listed while it forwards, whatever another call in its table, or in the next one,
  /// does.
  private static func listInTask(otherLine: UInt) -> Scenario {
    Scenario(
      "waiting calls: list in onCancel, call at line \(otherLine) begins and ends",
      outcomes: ["only this", "both"]
    ) { run in
      startRecording
      let hasBegun = Shared(false)
      let hasEnded = Shared(false)
      run.task("call") {
        let completion = Shared<(@Sendable (Int) -> Void)?>(nil)
        await wait(.waitForCallback, atLine: 1) {
          completion.value = $0
          withUnsafeCurrentTask { $0?.cancel() }
        } onCancel: {
          let hadEnded = hasEnded.value
          let list = WaitingCalls.list
          let isOtherListed = isListed(otherLine, in: list)
          run.expect(isListed(1, in: list), "the call is not listed: \(list)")
          run.expect(list.contains("cancelled, waiting"), "the call is not cancelled: \(list)")
          run.expect(!isOtherListed || hasBegun.value && !hadEnded, "the other is listed: \(list)")
          run.saw(isOtherListed ? "both" : "only this")
          completion.value.take()?(1)
        }
      }
      run.task("other") {
        await wait(atLine: otherLine) { completion in
          hasBegun.value = true
          run.thread("SDK") { completion(1) }
        }
        hasEnded.value = true
      }
    }
  }

  /// They are in two tables, and never wait at the same time.
  private static let oneAfterTheOther = Scenario(
    "waiting calls: list, one call after the other",
    outcomes: ["no calls", "first", "second"]
  ) { run in
    startRecording
    run.task("call") {
      for line in [1, 2] as [UInt] {
        await wait(atLine: line) { completion in
          run.thread("SDK") { completion(1) }
        }
      }
    }
    run.thread("list") {
      let list = WaitingCalls.list
      switch (isListed(1, in: list), isListed(2, in: list)) {
      case (false, false): run.saw("no calls")
      case (true, false): run.saw("first")
      case (false, true): run.saw("second")
      case (true, true): run.saw("both")
      }
    }
  }

  // MARK: Long waits

  /// A call, and a thread that lets ten seconds pass. Nothing is reported if the call was over by
  /// then.
  private static func longWait(
    _ title: String,
    calls names: [String] = ["call"],
    outcomes: Set<String>,
    _ setUp: @escaping @Sendable (Run) -> Void = { _ in }
  ) -> Scenario {
    Scenario("long wait: \(title)", outcomes: outcomes) { run in
      run.setMostRings(2)
      WaitingCalls.startRecording(reportingAfter: .seconds(1))
      let calls = names.map { Call($0, in: run) }
      for call in calls {
        call.begin {
          try await bridge(call, in: run) { run, call, completion in
            run.thread("SDK") { completion(.success(call.value())) }
          }
        }
      }
      let longCount = Shared(0)
      run.thread("time") {
        run.passTime(seconds: 10)
        longCount.value = calls.count { $0.result == nil }
      }
      run.atEnd {
        run.expect(run.reports.count <= longCount.value, "a call that is over is reported")
      }
      setUp(run)
    }
  }

  private static let longWait = longWait(
    "answer, ten seconds, alarms",
    outcomes: ["value", "value, report of longWait"]
  )

  /// Each once.
  private static let twoLongWaits = longWait(
    "two answers, ten seconds, alarms",
    calls: ["a", "b"],
    outcomes: [
      "a value, b value", "a value, b value, report of longWait",
      "a value, b value, report of longWait, report of longWait",
    ]
  )

  private static let otherLimit = longWait(
    "answer, ten seconds, alarms, another limit",
    outcomes: ["value", "value, report of longWait"]
  ) { run in
    run.thread("app") { WaitingCalls.startRecording(reportingAfter: .seconds(2)) }
  }
}
