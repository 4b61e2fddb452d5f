/// Waits until the current task is cancelled.
///
/// For a task whose work is done by callbacks, or by other tasks, and that cleans up when it is
/// cancelled:
///
/// ```swift
/// func run() async {
///   let listener = player.addListener { song in print("song:", song) }
///   await waitForCancellation()
///   player.removeListener(listener)
/// }
/// ```
///
/// Returns when the task is cancelled; at once, if it already is. It does not throw, because the
/// cancellation is what it waits for, and the code after it must run. To throw there, write
/// ``checkpoint(fileID:line:)`` after it.
///
/// Meanwhile, ``WaitingCalls`` lists the task. That it waits for long is not reported.
///
/// ## Cancellation
///
/// Returns as soon as the caller's actor is free, on that actor. If nothing cancels the task, it
/// waits forever. What runs after it runs in a cancelled task, where other waits end at once: for
/// cleanup that must `await`, use ``withCancellationCleanup(isolation:_:cleanup:)``.
@_alwaysEmitIntoClient
nonisolated(nonsending) public func waitForCancellation(
  fileID: StaticString = #fileID,
  line: UInt = #line
) async {
  await fallbackWait(
    .options(.abandonCallback, nil, CallSite(fileID: fileID, line: line)),
    as: .taskCancellation,
    fallback: (),
    // Kept by the wait, so that it is not dropped.
    in: { (continuation: CancellableContinuation<Void, Never>) in continuation },
    onCancel: { _ in },
    onDiscard: nil
  )
}
