import SwiftSyntax

/// A call that waits for a continuation, or for a completion handler of this library.
struct Wait {
  let call: FunctionCallExprSyntax
  let operation: ClosureExprSyntax?
  let obligation: Obligation?
  let isOfLibrary: Bool

  private static let ofLibrary: Set = [
    "withAsyncValue", "withAsyncThrowingValue", "withCancellableContinuation",
    "withCancellableThrowingContinuation", "withUncancellableContinuation",
  ]
  private static let ofStandardLibrary: Set = [
    "withCheckedContinuation", "withCheckedThrowingContinuation", "withUnsafeContinuation",
    "withUnsafeThrowingContinuation",
  ]

  init?(_ call: FunctionCallExprSyntax, in file: SourceFile) {
    let name = call.callee
    guard name.hasPrefix("with") else { return nil }
    isOfLibrary = Self.ofLibrary.contains(name)
    // A continuation that cannot be copied names its type: `withContinuation(of: Int.self)`.
    let traps = name == "withContinuation" && call.arguments.first?.label?.text == "of"
    guard isOfLibrary || traps || Self.ofStandardLibrary.contains(name),
      [nil, "Swift", "_Concurrency", "CooperativeCancellation"].contains(
        call.calledExpression.as(MemberAccessExprSyntax.self)?.base?.trimmedDescription
      )
    else { return nil }
    self.call = call
    operation = call.closures.first { !["onCancel", "onDiscard"].contains($0.label) }?.closure
    let names = Set(operation?.parameterNames ?? []).subtracting(["_"])
    let function = call.ancestors.first(where: \.isFunction) ?? Syntax(file.tree)
    var obligation = Obligation(names: names, in: function, of: file, traps: traps)
    if let operation { obligation.addWeak(of: operation) }
    self.obligation = names.isEmpty ? nil : obligation
  }

  var names: Set<String> { obligation?.names ?? [] }

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
}
