public import CooperativeCancellation

/// Waits until calls of the library are waiting, so that a test can cancel a call that waits.
///
/// ```swift
/// let task = Task { try await articles.article(1) }
/// try await waitForCalls(in: "WrapperTests.swift")
/// task.cancel()
/// ```
///
/// It needs neither a fake nor a sleep. In a release build, calls are listed from its first use, or
/// that of `WaitingCalls.startRecording()`, on. Other tests run at the same time, so say which
/// calls you mean.
///
/// Throws `CancellationError`, or, if there are fewer in time, an error that lists the calls that
/// wait.
///
/// - Parameters:
///   - count: How many calls must be waiting.
///   - place: The line of the calls, as errors name it; `nil` means any.
///   - file: The name of the file with the calls, such as `"Feed.swift"` or `"App/Feed.swift"`;
///     `nil` means any.
///   - id: The id of the calls, or the key of shared calls; `nil` means any.
///   - limit: How long to wait; see ``FakeCall/next(within:fileID:line:)``.
///   - fileID: The file to name in the error; by default the caller's.
///   - line: The line to name in the error; by default the caller's.
nonisolated(nonsending) public func waitForCalls(
  _ count: Int = 1,
  at place: CallSite? = nil,
  in file: String? = nil,
  id: (any Hashable & Sendable)? = nil,
  within limit: Timeout = .seconds(1),
  fileID: StaticString = #fileID,
  line: UInt = #line
) async throws {
  WaitingCalls.startRecording()
  let busyBefore = busyWaits.state
  let found: Void? = try await patiently {
    let pause = Observed(())
    let start = Moment.now
    repeat {
      let calls = WaitingCalls.all.filter { call in
        call.state != .over && (place == nil || call.callSite == place)
          && (file.map { "/\(call.callSite.fileID)".hasSuffix("/\($0)") } ?? true)
          && (id.map { isSame($0, call.id) } ?? true)
      }
      if calls.count >= count { return () }
      _ = try await pause.wait(within: .milliseconds(1)) { _ in nil as Void? }
    } while start.nanoseconds(to: .now) < limit.nanoseconds
    return nil
  }
  if found != nil { return }
  throw TimeLimitError(
    "\(count == 1 ? "no such call was" : "fewer than \(count) such calls were") waiting within \(limit)",
    isTooBusy: busyWaits.state > busyBefore,
    at: CallSite(fileID: fileID, line: line)
  )
}

/// The types count: `1` and `1.0` are different ids.
private func isSame(_ id: any Hashable & Sendable, _ other: (any Hashable & Sendable)?) -> Bool {
  guard let other, type(of: id) == type(of: other) else { return false }
  return AnyHashable(id) == AnyHashable(other)
}
