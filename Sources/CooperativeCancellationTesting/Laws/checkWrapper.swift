public import CooperativeCancellation

/// Puts a wrapper through every law, and throws for all that it breaks.
///
/// ```swift
/// let open = Population()
/// try await checkWrapper(values: open) { openings in
///   try await Doors(sdk: FakeDoorSDK(openings: openings)).open()
/// } success: { completion in
///   completion(FakeDoor(open), nil)
/// } failure: { completion in
///   completion(nil, ServerError())
/// }
/// ```
///
/// For each of some ten trials it makes a fake call, runs the wrapper in a task of its own, and has the SDK
/// answer, fail, or forget the completion, and the task cancelled, as the trial wants it. ``WrapperLaw`` lists
/// what must hold.
///
/// A wrapper that never ends does not hang the test: its task is left alone at the limit. One that blocks its
/// thread does not, either, where tasks can have a thread of their own: on Linux, and from macOS 15 and iOS 18
/// on.
///
/// A wrapper that does not throw, because it has a fallback, must end where another one throws; what it returns is
/// not looked at.
///
/// Throws ``BrokenLaws``; or `CancellationError` if the test is cancelled.
///
/// - Parameters:
///   - response: The wrapper's `whenCancelled:`. A wrapper that waits for the SDK need not be prompt.
///   - values: Counts the SDK's values that somebody must close, if there are such: made by `success`, and
///     closed by the wrapper's `onDiscard`. Otherwise, ``WrapperLaw/nothingLost`` is not tried.
///   - exceptions: Laws that cannot hold, for instance ``WrapperLaw/forwarding`` for an SDK that cannot cancel.
///   - limit: How long to wait for a wrapper that does not end; twice that, and longer on a machine that is busy.
///   - fileID: The file to name in the error; by default the caller's.
///   - line: The line to name in it; by default the caller's.
///   - wrapper: Makes the fake SDK, with the fake call that it is given, and the wrapper, and calls that once. Runs
///     in a task of its own; mark it `@MainActor` if it touches something on the main actor without `await`.
///   - success: Calls the completion as the SDK does when all is well. Runs on any thread.
///   - failure: Calls it as the SDK does when something goes wrong; `nil` if it cannot. Runs on any thread.
nonisolated(nonsending) public func checkWrapper<Completion: Sendable, Output, Failure: Error>(
  whenCancelled response: CancellationResponse = .abandonCallback,
  values: Population? = nil,
  except exceptions: Set<WrapperLaw> = [],
  limit: Timeout = .milliseconds(200),
  fileID: StaticString = #fileID,
  line: UInt = #line,
  _ wrapper: @escaping @Sendable @concurrent (FakeCall<Completion>) async throws(Failure) -> Output,
  success: @escaping @Sendable (Completion) -> Void,
  failure: (@Sendable (Completion) -> Void)? = nil
) async throws {
  let check = WrapperCheck(
    makeCall: { WrapperCheck.Call(run: { _ = try await wrapper($0) }) },
    canThrow: Failure.self != Never.self,
    response: response,
    values: values,
    laws: Set(WrapperLaw.allCases).subtracting(exceptions),
    limit: limit,
    success: success,
    failure: failure
  )
  try await check.runOnOwnThread(at: CallSite(fileID: fileID, line: line))
}

/// Puts a wrapper with a timeout through every law, and throws for all that it breaks.
///
/// ```swift
/// try await checkWrapper { loads, clock in
///   let timeout = Timeout(.seconds(5), clock: clock)
///   return try await Articles(sdk: FakeArticleSDK(loads: loads), timeout: timeout).article(1)
/// } success: { completion in
///   completion(.success(Article(title: "Sea")))
/// } failure: { completion in
///   completion(.failure(ServerError()))
/// }
/// ```
///
/// As the other form, which says more; and ``WrapperLaw/timeout`` is tried, too.
///
/// - Parameters:
///   - response: The wrapper's `whenCancelled:`.
///   - values: Counts the SDK's values that somebody must close, if there are such.
///   - exceptions: Laws that cannot hold.
///   - limit: How long to wait for a wrapper that does not end; twice that, and longer on a machine that is busy.
///   - fileID: The file to name in the error; by default the caller's.
///   - line: The line to name in it; by default the caller's.
///   - wrapper: Makes the fake SDK and the wrapper, with the clock for its timeout, and calls that once. Runs in a
///     task of its own.
///   - success: Calls the completion as the SDK does when all is well. Runs on any thread.
///   - failure: Calls it as the SDK does when something goes wrong; `nil` if it cannot. Runs on any thread.
@available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
nonisolated(nonsending) public func checkWrapper<Completion: Sendable, Output, Failure: Error>(
  whenCancelled response: CancellationResponse = .abandonCallback,
  values: Population? = nil,
  except exceptions: Set<WrapperLaw> = [],
  limit: Timeout = .milliseconds(200),
  fileID: StaticString = #fileID,
  line: UInt = #line,
  _ wrapper:
    @escaping @Sendable @concurrent (FakeCall<Completion>, ManualClock) async throws(Failure) ->
    Output,
  success: @escaping @Sendable (Completion) -> Void,
  failure: (@Sendable (Completion) -> Void)? = nil
) async throws {
  let check = WrapperCheck(
    makeCall: {
      let clock = ManualClock()
      return WrapperCheck.Call(run: { _ = try await wrapper($0, clock) }) { limit in
        try await clock.waitForSleeper(within: limit)
        clock.advance(by: .seconds(Int64.max / 2))
      }
    },
    canThrow: Failure.self != Never.self,
    response: response,
    values: values,
    laws: Set(WrapperLaw.allCases).subtracting(exceptions),
    limit: limit,
    success: success,
    failure: failure
  )
  try await check.runOnOwnThread(at: CallSite(fileID: fileID, line: line))
}

extension WrapperCheck {
  fileprivate nonisolated(nonsending) func runOnOwnThread(at callSite: CallSite) async throws {
    try await withAsyncThrowingValue { completion in
      startOnOwnThread {
        do {
          try await run(at: callSite)
          completion(.success)
        } catch {
          completion(.failure(error))
        }
      }
    } onCancel: { task in
      task.cancel()
    }
  }
}
