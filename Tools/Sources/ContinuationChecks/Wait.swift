import SwiftSyntax

/// A call that waits for a continuation, or for a completion handler of this library.
struct Wait {
  let call: FunctionCallExprSyntax
  private let operation: ClosureExprSyntax?
  private let isOfLibrary: Bool

  init?(_ call: FunctionCallExprSyntax) {
    isOfLibrary = Self.ofLibrary.contains(call.name)
    guard isOfLibrary || Self.ofStandardLibrary.contains(call.name) else { return nil }
    // Their declarations have other bases than none and the module.
    if let base = call.calledExpression.as(MemberAccessExprSyntax.self)?.base {
      guard ["Swift", "_Concurrency", "CooperativeCancellation"].contains(base.trimmedDescription)
      else { return nil }
    }
    self.call = call
    operation = call.closures.first { !["onCancel", "onDiscard"].contains($0.label) }?.closure
  }

  private static let ofStandardLibrary: Set = [
    "withCheckedContinuation", "withCheckedThrowingContinuation",
    "withUnsafeContinuation", "withUnsafeThrowingContinuation",
  ]
  private static let ofLibrary: Set = [
    "withCancellableContinuation", "withCancellableThrowingContinuation",
    "withUncancellableContinuation", "withAsyncValue", "withAsyncThrowingValue",
  ]

  /// Ends when its task is cancelled, at least by what it looks like.
  var isCancellable: Bool {
    guard isOfLibrary else { return cancellationHandler != nil }
    let labels = call.arguments.compactMap(\.label?.text)
    let mode = call.arguments.first { $0.label?.text == "whenCancelled" }?.expression.lastName
    guard mode == nil || mode == "abandonCallback" else { return false }
    return switch call.name {
    case "withUncancellableContinuation": false
    case "withAsyncValue": labels.contains("fallback")
    default: true
    }
  }

  /// The handler around it, in the same function and task.
  var cancellationHandler: CancellationHandler? {
    for node in call.ancestors {
      if node.isFunction { return nil }
      if let closure = node.as(ClosureExprSyntax.self), closure.isTask { return nil }
      if let handler = node.as(FunctionCallExprSyntax.self).flatMap(CancellationHandler.init),
        handler.operation.contains(call)
      {
        return handler
      }
    }
    return nil
  }

  var function: Syntax {
    call.ancestors.first { $0.isFunction } ?? call.root
  }

  var mistakes: [Mistake] {
    guard let operation else { return [] }
    let names = Set(operation.parameterNames).subtracting(["_"])
    let obligation = Obligation(form: .continuation, names: names, in: function)
    let checks = checksInCallbacks(operation, obligation)
    // This library's waits neither hang nor crash.
    guard !isOfLibrary, !names.isEmpty else { return checks }
    guard obligation.isMentioned(in: operation.statements) else {
      let message = "nothing uses the continuation: the task waits forever"
      return checks + [Mistake(.neverResumed, at: call.start, message)]
    }
    var flow = Flow(obligation)
    let end = flow.run(operation.statements, .begin)
    flow.judge(end, endingAt: operation.rightBrace, isTask: false)
    return checks + flow.mistakes
  }

  /// The checks for cancellation in closures that no task runs.
  private func checksInCallbacks(
    _ operation: ClosureExprSyntax,
    _ obligation: Obligation
  ) -> [Mistake] {
    operation.all(MemberAccessExprSyntax.self).compactMap { check in
      guard ["isCancelled", "checkCancellation"].contains(check.declName.baseName.text),
        check.base?.lastName == "Task", check.base?.is(FunctionCallExprSyntax.self) == false
      else { return nil }
      for node in check.ancestors {
        if node.id == operation.id || node.isFunction { return nil }
        guard let closure = node.as(ClosureExprSyntax.self) else { continue }
        if closure.isTask || closure.signature?.effectSpecifiers?.asyncSpecifier != nil
          || !closure.all(AwaitExprSyntax.self).isEmpty
        {
          return nil
        }
        if let name = closure.call?.name, Words(name).saysAtOnce { continue }
        if obligation.isMentioned(in: closure) {
          return Mistake(
            .cancellationCheckInCallback,
            at: check.start,
            "no task runs this callback, so it never sees a cancellation: remove the check"
          )
        }
      }
      return nil
    }
  }
}
