import SwiftSyntax

/// A call that waits for a continuation, or for a completion handler of this library.
struct Wait {
  let call: FunctionCallExprSyntax
  private let operation: ClosureExprSyntax?
  private let isOfLibrary: Bool

  init?(_ call: FunctionCallExprSyntax) {
    guard call.callee.hasPrefix("with") else { return nil }
    isOfLibrary = call.callee.contains(
      /^with(Async(Throwing)?Value|(Unc|C)ancellable(Throwing)?Continuation)$/
    )
    guard isOfLibrary || call.callee.contains(/^with(Checked|Unsafe)(Throwing)?Continuation$/),
      [nil, "Swift", "_Concurrency", "CooperativeCancellation"].contains(
        call.calledExpression.as(MemberAccessExprSyntax.self)?.base?.trimmedDescription
      )
    else { return nil }
    self.call = call
    operation = call.closures.first { !["onCancel", "onDiscard"].contains($0.label) }?.closure
  }

  var names: Set<String> { Set(operation?.parameterNames ?? []).subtracting(["_"]) }

  /// Ends when its task is cancelled, as far as the text says.
  var isCancellable: Bool {
    guard isOfLibrary else {
      // In the same function and task.
      let around = call.ancestors.prefix { !$0.isFunction && !$0.isTask }
      return around.compactMap { $0.as(FunctionCallExprSyntax.self) }
        .compactMap(CancellationHandler.init).contains { $0.operation.contains(call) }
    }
    let mode = call.arguments.first { $0.label?.text == "whenCancelled" }?.expression.lastName
    guard mode == nil || mode == "abandonCallback" else { return false }
    let hasFallback = call.arguments.contains { $0.label?.text == "fallback" }
    return call.callee != "withUncancellableContinuation"
      && (call.callee != "withAsyncValue" || hasFallback)
  }

  var findings: [Finding] {
    guard let operation, !names.isEmpty else { return [] }
    let function = call.ancestors.first(where: \.isFunction) ?? call.root
    let obligation = Obligation(names: names, in: function)
    // This library's waits neither hang nor crash.
    return obligation.checksInCallbacks(of: operation)
      + (isOfLibrary
        ? [] : Flow.findings(obligation, operation.statements, end: operation.rightBrace))
  }
}
