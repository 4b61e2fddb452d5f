public import CooperativeCancellation

/// Tests a wrapper against every ``WrapperGuarantee``, and reports all that it breaks.
///
/// ```swift
/// let open = LiveCount()
/// try await checkWrapper(values: open) { openings in
///   try await Doors(sdk: FakeDoorSDK(openings: openings)).open()
/// } success: { completion in
///   completion(FakeDoor(open), nil)
/// } failure: { completion in
///   completion(nil, ServerError())
/// }
/// ```
///
/// About fifteen trials each make a fake call and run the wrapper in a task of its own. The SDK
/// then answers, fails or drops the completion, or the task is cancelled, before the answer or
/// right after it. ``FakeCall/wrapper(_:)`` adds two calls at the same time.
///
/// On Linux, macOS 15, iOS 18 and later, the SDK answers after the limit, so a wrapper that hangs
/// or blocks its thread does not hang the test, unless it blocks the main thread, or the SDK's
/// inside the completion. Where others throw, a wrapper may return any fallback; one with an error
/// type of its own must throw that.
///
/// Throws ``BrokenGuarantees``, or `CancellationError` if the test is cancelled.
///
/// - Parameters:
///   - response: The wrapper's `whenCancelled:`. A wrapper that waits for the SDK need not be
///     prompt, and one that ignores cancellation must call the SDK in a cancelled task.
///   - alwaysUnregisters: Whether the SDK is told once after each outcome, not only after a
///     cancellation or a timeout: for a session that must be closed, or a listener that must be
///     removed. Without it, ``WrapperGuarantee/closing`` is not tried.
///   - values: Counts the SDK's values, which `success` makes and the wrapper's `onDiscard` closes.
///     Without it, ``WrapperGuarantee/nothingLost`` is not tried.
///   - exceptions: Guarantees that cannot hold, such as ``WrapperGuarantee/forwarding`` for an SDK
///     that cannot cancel.
///   - limit: How long to wait. Retried up to four times, and longer on a busy machine.
///   - fileID: The file to name in the error; by default the caller's.
///   - line: The line to name in the error; by default the caller's.
///   - wrapper: Makes the fake SDK from the fake call, makes the wrapper, and calls it once. Runs
///     in a task of its own; mark it `@MainActor` if it uses the main actor without `await`.
///   - success: Calls the completion as the SDK does on success. Runs on any thread.
///   - failure: Calls the completion as the SDK does on failure; `nil` if the SDK cannot fail. Runs
///     on any thread.
nonisolated(nonsending) public func checkWrapper<Completion: Sendable, Output, Failure: Error>(
  whenCancelled response: CancellationResponse = .abandonCallback,
  alwaysUnregisters: Bool = false,
  values: LiveCount? = nil,
  except exceptions: Set<WrapperGuarantee> = [],
  limit: Timeout = .milliseconds(200),
  fileID: StaticString = #fileID,
  line: UInt = #line,
  _ wrapper: @escaping @Sendable @concurrent (FakeCall<Completion>) async throws(Failure) -> Output,
  success: @escaping @Sendable (Completion) -> Void,
  failure: (@Sendable (Completion) -> Void)? = nil
) async throws {
  try await WrapperCheck(
    makeCall: { .init(run: { _ = try await wrapper($0) }) },
    cancelledEnd: cancelledEnd(Failure.self),
    response: response,
    alwaysUnregisters: alwaysUnregisters,
    values: values,
    guarantees: Set(WrapperGuarantee.allCases).subtracting(exceptions),
    limit: limit,
    success: success,
    failure: failure
  ).runOnOwnThread(at: CallSite(fileID: fileID, line: line))
}

/// Tests a wrapper with a timeout against every ``WrapperGuarantee``, and reports all that it
/// breaks.
///
/// ```swift
/// try await checkWrapper { @MainActor loads, clock in
///   let timeout = Timeout(.seconds(5), clock: clock)
///   return try await Articles(sdk: FakeArticleSDK(loads: loads), timeout: timeout).article(1)
/// } success: { completion in
///   completion(.success(Article(title: "Sea")))
/// } failure: { completion in
///   completion(.failure(ServerError()))
/// }
/// ```
///
/// Also tries ``WrapperGuarantee/timeout``: `wrapper` makes the wrapper with the clock for its
/// timeout.
@available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
nonisolated(nonsending) public func checkWrapper<Completion: Sendable, Output, Failure: Error>(
  whenCancelled response: CancellationResponse = .abandonCallback,
  alwaysUnregisters: Bool = false,
  values: LiveCount? = nil,
  except exceptions: Set<WrapperGuarantee> = [],
  limit: Timeout = .milliseconds(200),
  fileID: StaticString = #fileID,
  line: UInt = #line,
  _ wrapper:
    @escaping @Sendable @concurrent (FakeCall<Completion>, ManualClock) async throws(Failure) ->
    Output,
  success: @escaping @Sendable (Completion) -> Void,
  failure: (@Sendable (Completion) -> Void)? = nil
) async throws {
  try await WrapperCheck(
    makeCall: {
      let clock = ManualClock()
      return .init(
        run: { _ = try await wrapper($0, clock) },
        clock: .init(
          isSlept: { (try? await clock.waitForSleeper(within: $0)) != nil },
          isUnused: { limit in
            await patiently {
              try? await clock.state.wait(within: limit) { $0.sleepers.isEmpty ? true : nil }
            } != nil
          },
          advance: { clock.advance(by: .seconds(Int64.max / 2)) }
        )
      )
    },
    cancelledEnd: cancelledEnd(Failure.self),
    response: response,
    alwaysUnregisters: alwaysUnregisters,
    values: values,
    guarantees: Set(WrapperGuarantee.allCases).subtracting(exceptions),
    limit: limit,
    success: success,
    failure: failure
  ).runOnOwnThread(at: CallSite(fileID: fileID, line: line))
}

private func cancelledEnd<Failure: Error>(_: Failure.Type) -> WrapperEnd? {
  Failure.self == Never.self ? nil : CancellationError() is Failure ? .cancellation : .failure
}

extension WrapperCheck {
  fileprivate nonisolated(nonsending) func runOnOwnThread(at callSite: CallSite) async throws {
    try await withAsyncThrowingValue { completion in
      startOnOwnThread({ try await run(at: callSite) }, then: completion)
    } onCancel: { started in
      started.task.cancel()
    }
  }
}
