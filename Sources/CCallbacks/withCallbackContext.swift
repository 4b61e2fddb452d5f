/// Runs `body` with a repeating ``CallbackContext``, for a C library that calls back only during
/// the call.
///
/// ```swift
/// // int work(int steps, int (*should_stop)(void *context), void *context);
/// let done = withCallbackContext({ () -> Int32 in flag.isCancelled ? 1 : 0 }) { context in
///   work(1000, { @Sendable in CallbackContext.call($0, otherwise: 1) }, context)
/// }
/// ```
///
/// Returns what `body` returns, and throws what it throws. After `body`, the context is gone: later
/// callbacks do nothing. `closure` runs on the thread on which C calls it, with no lock held, and
/// `body` at once, in place.
public func withCallbackContext<each Argument, Output, Result: ~Copyable, Failure: Error>(
  _ closure: @escaping @Sendable (repeat each Argument) -> Output,
  fileID: StaticString = #fileID,
  line: UInt = #line,
  in body: (_ context: UnsafeMutableRawPointer) throws(Failure) -> Result
) throws(Failure) -> Result {
  let context = CallbackContext(isRepeating: true, fileID: fileID, line: line, closure)
  defer { context.release() }
  // `unsafe`, because `body` gets a pointer. It is a number, which no code here or in C
  // dereferences. If C keeps it, a later call finds no entry.
  return try unsafe body(context.pointer)
}
