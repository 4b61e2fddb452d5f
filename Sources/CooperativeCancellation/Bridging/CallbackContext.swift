/// Carries a Swift closure through a C callback's `void *context`.
///
/// ```swift
/// // int fetch(const char *key, void (*callback)(void *context, int status, int value), void *context);
/// let value = try await withAsyncThrowingValue { completion in
///   let context = CallbackContext { (status: Int32, value: Int32) in
///     completion(status == 0 ? .success(value) : .failure(FetchError(status)))
///   }
///   let status = fetch(key, { @Sendable in CallbackContext.call($0, $1, $2) }, context.pointer)
///   guard status == 0 else { throw FetchError(status) }
///   return context
/// }
/// ```
///
/// Name each argument that C passes, also those that you do not need: `{ call($0, $1, $2) }` has three. And
/// `@Sendable` matters: without it, a closure that is written in code of an actor belongs to that actor,
/// and Swift traps when the C library calls it on a thread of its own.
///
/// The pointer is not an address but a number that names an entry in a table. So a C library cannot do
/// harm with it: a second call, a late call, a call after the library's own destroy callback find no entry
/// and do nothing.
///
/// ## How long it lives
///
/// C may call for as long as this object lives: keep it. A bridge keeps what `operation` returns, so
/// `return context` (or a tuple with it) is all there is to do:
///
/// - After an answer the closure has gone already, unless the context is repeating.
/// - With ``CancellationResponse/abandonCallback``, it goes when the wait ends, after `onCancel`.
/// - With ``CancellationResponse/waitForCallback`` and ``CancellationResponse/deliverResult``, it lives until C
///   has called back.
/// - If `operation` throws, it goes with that.
///
/// ``release()`` gives it up earlier, and so does ``release(_:)`` in the library's destroy callback. To a wait
/// that is not over, that is a dropped completion.
public final class CallbackContext: Sendable {
  private let number: UInt

  /// What to pass to C as the context, or user data, of the callback. It does not keep the context alive.
  public var pointer: UnsafeMutableRawPointer {
    // Not `nil`, because the table gives out no zero: the only unsafe line of the library.
    UnsafeMutableRawPointer(bitPattern: number).unsafelyUnwrapped
  }

  /// Keeps a closure for C to call: once, or any number of times.
  ///
  /// A repeating context is for progress callbacks, and for those that ask whether to go on. (Where C calls
  /// back only inside the call, ``withCallbackContext(_:fileID:line:in:)`` releases by itself.)
  ///
  /// ```swift
  /// // void progress_handler(int (*should_stop)(void *context), void *context);
  /// let context = CallbackContext(isRepeating: true) { () -> Int32 in flag.isCancelled ? 1 : 0 }
  /// defer { context.release() }
  /// progress_handler({ @Sendable in CallbackContext.call($0, otherwise: 1) }, context.pointer)
  /// ```
  ///
  /// - Parameters:
  ///   - isRepeating: Whether the closure is kept for as long as the context lives, rather than for one call.
  ///   - fileID: The file to name in reports; by default the caller's.
  ///   - line: The line to name in them; by default the caller's.
  ///   - body: Runs inside ``call(_:_:)``, on the thread that calls, with no lock held. Pointers among its
  ///     arguments are valid for as long as the C library says, usually during the call: copy what they
  ///     point to.
  public init<each Argument, Output>(
    isRepeating: Bool = false,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ body: @escaping @Sendable (repeat each Argument) -> Output
  ) {
    let entry = Entry<(repeat each Argument), Output>(
      isRepeating: isRepeating,
      CallSite(fileID: fileID, line: line)
    ) { arguments in
      body(repeat each arguments)
    }
    number = ContextTable.add(entry)
  }

  deinit {
    release()
  }

  /// Gives the closure up, if it is still kept. Calls from now on do nothing.
  public func release() {
    ContextTable.remove(number)
  }
}

// What the C library calls.
extension CallbackContext {
  /// Calls the closure whose context C handed back; nothing happens if it is no longer kept.
  ///
  /// The arguments must have the types of the closure's parameters. If they have not, the closure is not
  /// called but given up, and that is reported to ``MisuseReport/handler``: a wait that it belongs to ends
  /// with ``DroppedCompletionError``.
  public static func call<each Argument>(
    _ pointer: UnsafeMutableRawPointer?,
    _ argument: repeat each Argument
  ) {
    call(pointer, repeat each argument, otherwise: ())
  }

  /// Calls the closure whose context C handed back and returns what it returns, or `otherwise` if it is no
  /// longer kept.
  public static func call<each Argument, Output>(
    _ pointer: UnsafeMutableRawPointer?,
    _ argument: repeat each Argument,
    otherwise: Output
  ) -> Output {
    guard let entry = ContextTable.entry(for: UInt(bitPattern: pointer)) else { return otherwise }
    guard let entry = entry as? Entry<(repeat each Argument), Output> else {
      release(pointer)
      let type = Entry<(repeat each Argument), Output>.type
      let types = "\(Swift.type(of: entry).type), and was called as \(type)"
      MisuseReport.send(.contextCalledWithOtherTypes, entry.callSite, detail: types)
      return otherwise
    }
    return entry.body((repeat each argument))
  }

  /// Gives up the closure whose context C hands back: for a library's destroy callback.
  public static func release(_ pointer: UnsafeMutableRawPointer?) {
    ContextTable.remove(UInt(bitPattern: pointer))
  }
}

extension CallbackContext {
  // Generic over the tuple of the arguments: a class over the arguments themselves needs macOS 14.
  private final class Entry<Arguments, Output>: ContextEntry {
    let body: @Sendable (Arguments) -> Output
    let isRepeating: Bool
    let callSite: CallSite
    static var type: Any.Type { ((Arguments) -> Output).self }

    init(
      isRepeating: Bool,
      _ callSite: CallSite,
      _ body: @escaping @Sendable (Arguments) -> Output
    ) {
      self.body = body
      self.isRepeating = isRepeating
      self.callSite = callSite
    }
  }
}
