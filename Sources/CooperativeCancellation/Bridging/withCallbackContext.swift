/// Runs `body` with a repeating ``CallbackContext`` that is released when `body` is done: for a C library
/// that calls back only while it is being called.
///
/// ```swift
/// // int work(int steps, int (*should_stop)(void *context), void *context);
/// let done = withCallbackContext({ () -> Int32 in flag.isCancelled ? 1 : 0 }) { context in
///   work(1000, { @Sendable in CallbackContext.call($0, otherwise: 1) }, context)
/// }
/// ```
///
/// Returns what `body` returns, and throws what it throws. A call that comes later finds nothing, and does
/// nothing.
///
/// - Parameters:
///   - closure: What C calls, as in ``CallbackContext``: on the thread that calls, with no lock held.
///   - fileID: The file to name in reports; by default the caller's.
///   - line: The line to name in them; by default the caller's.
///   - body: Calls the C library, here and now. It receives what to pass as the context.
public func withCallbackContext<each Argument, Output, Result: ~Copyable, Failure: Error>(
  _ closure: @escaping @Sendable (repeat each Argument) -> Output,
  fileID: StaticString = #fileID,
  line: UInt = #line,
  in body: (_ context: UnsafeMutableRawPointer) throws(Failure) -> Result
) throws(Failure) -> Result {
  let context = CallbackContext(isRepeating: true, fileID: fileID, line: line, closure)
  defer { context.release() }
  return try body(context.pointer)
}
