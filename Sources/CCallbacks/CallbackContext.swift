internal import CooperativeCancellation

/// Carries a Swift closure through a C callback's `void *context`.
///
/// In the `operation` of a bridge:
///
/// ```swift
/// let context = CallbackContext { (status: Int32, degrees: Double) in
///   completion(status == 0 ? .success(degrees) : .failure(WeatherError(status: status)))
/// }
/// let status = weather_fetch(
///   city,
///   { @Sendable in CallbackContext.call($0, $1, $2) },
///   context.pointer
/// )
/// guard status == 0 else { throw WeatherError(status: status) }
/// return context
/// ```
///
/// Pass on each argument that C passes, including those that you do not need. Write `@Sendable`:
/// without it, a closure in an actor's code belongs to that actor, and Swift traps when C calls it
/// on another thread.
///
/// The pointer is not an address. It is a number that names an entry in a table. A second call, a
/// late call, or a call after the C library's destroy callback finds no entry and does nothing.
///
/// ## Lifetime
///
/// C may call back while this object is alive. Return it from `operation`, perhaps in a tuple. The
/// closure is released:
///
/// - when C has called it, unless the context is repeating;
/// - with `.abandonCallback`, when the wait ends, after `onCancel`;
/// - with `.waitForCallback` and `.deliverResult`, after C has called back;
/// - when `operation` throws;
/// - when you call ``release()``, or ``release(_:)`` in the C library's destroy callback. If that
///   releases the completion of a wait, the wait ends with `DroppedCompletionError`, or with its
///   fallback.
///
/// A cancelled call of a `PendingCall`, or with a shared id, keeps its place until its late answer
/// has arrived. The context must live as long: keep one for all calls, with `isRepeating`, in the
/// object that has the `PendingCall`, or let the call wait with `.waitForCallback`. See
/// <doc:Recipes#C-with-several-callers>.
public final class CallbackContext: Sendable {
  private let number: UInt

  /// The pointer to pass to C as the callback's context or user data. It does not keep this object
  /// alive.
  public var pointer: UnsafeMutableRawPointer {
    // Safe: it is not `nil`, because the table never returns zero. It is a number, and no code here
    // or in C reads what it points to.
    unsafe UnsafeMutableRawPointer(bitPattern: number).unsafelyUnwrapped
  }

  /// Creates a context for a closure that C may call once, or any number of times.
  ///
  /// A context with `isRepeating` is for callbacks that report progress or ask whether to continue.
  /// If C calls back only during the call, use ``withCallbackContext(_:fileID:line:in:)``. Reports
  /// name the file and the line.
  ///
  /// `body` runs in ``call(_:_:)``, on its thread, with no lock held. Copy what its pointers point
  /// to, before it returns.
  public init<each Argument, Output>(
    isRepeating: Bool = false,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ body: @escaping @Sendable (repeat each Argument) -> Output
  ) {
    let entry = ClosureEntry<(repeat each Argument), Output>(
      isRepeating: isRepeating,
      CallSite(fileID: fileID, line: line)
    ) { arguments in
      body(repeat each arguments)
    }
    number = ContextTable.add(entry)
  }

  deinit { release() }

  /// Releases the closure. Later calls do nothing.
  public func release() { ContextTable.remove(number) }
}

// What the C library calls.
//
// `unsafe` marks calls that take a pointer. They are safe with any pointer, because they only use
// it as a number. One that C has made up, or kept too long, finds no entry.
extension CallbackContext {
  /// Calls the closure that belongs to a context; does nothing if the closure was released.
  ///
  /// If the types of the arguments differ from those of the closure's parameters, the closure is
  /// released without a call, and reported to `RuntimeIssue.handler`. A wait for it ends with
  /// `DroppedCompletionError`, or its fallback.
  public static func call<each Argument>(
    _ pointer: UnsafeMutableRawPointer?,
    _ argument: repeat each Argument
  ) {
    // Safe: only looks up the number.
    unsafe call(pointer, repeat each argument, otherwise: ())
  }

  /// Calls the closure that belongs to a context and returns its result, or `otherwise` if it was
  /// released.
  public static func call<each Argument, Output>(
    _ pointer: UnsafeMutableRawPointer?,
    _ argument: repeat each Argument,
    otherwise: Output
  ) -> Output {
    guard let entry = ContextTable.entry(for: UInt(bitPattern: pointer)) else { return otherwise }
    guard let entry = entry as? ClosureEntry<(repeat each Argument), Output> else {
      // Safe: only removes the number.
      unsafe release(pointer)
      let type = ClosureEntry<(repeat each Argument), Output>.type
      let types = "\(Swift.type(of: entry).type), but was called as \(type)"
      RuntimeIssue.send(.contextCalledWithOtherTypes, entry.callSite, detail: types)
      return otherwise
    }
    return entry.body((repeat each argument))
  }

  /// Releases the closure that belongs to a context. Call it in the C library's destroy callback.
  public static func release(_ pointer: UnsafeMutableRawPointer?) {
    ContextTable.remove(UInt(bitPattern: pointer))
  }
}

extension CallbackContext {
  // Generic over the tuple of the arguments, because a class with a parameter pack needs macOS 14.
  private final class ClosureEntry<Arguments, Output>: ContextEntry {
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
