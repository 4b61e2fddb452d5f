import SwiftSyntax

/// A call of `withTaskCancellationHandler` or a relative of it.
struct CancellationHandler {
  let operation: ClosureExprSyntax
  private let onCancel: ClosureExprSyntax

  init?(_ call: FunctionCallExprSyntax) {
    let isHandler = { (label: String?) in label?.hasPrefix("onCancel") == true }
    guard ["withTaskCancellation", "withGracefulShutdown"].contains(where: call.callee.hasPrefix),
      let onCancel = call.closures.first(where: { isHandler($0.label) })?.closure,
      let operation = call.closures.first(where: { !isHandler($0.label) })?.closure
    else { return nil }
    (self.operation, self.onCancel) = (operation, onCancel)
  }

  /// A request that the handler does nothing about if it runs before the request is stored.
  var lostCancellation: Finding? {
    // A handler that leaves a note may be asked later; a task in it may run later.
    guard onCancel.assignments.allSatisfy({ $0.value[0].is(NilLiteralExprSyntax.self) }),
      !onCancel.all(ClosureExprSyntax.self).contains(where: \.isTask)
    else { return nil }
    let waits = operation.all(FunctionCallExprSyntax.self).compactMap(Wait.init)
    for (target, value) in operation.assignments {
      guard optionals.contains(locked(target) ?? target.lastName),
        !value[0].is(NilLiteralExprSyntax.self),
        let wait = waits.first(where: { $0.call.contains(target) })
      else { continue }
      // The continuation itself may be stored after a look, if no other thread comes between.
      let isContinuation = value[0].name.map(wait.names.contains) ?? false
      let start = isContinuation ? wait.call.position : target.endPosition
      let looks = operation.tokens(viewMode: .sourceAccurate).contains {
        $0.position >= start && $0.text.lowercased().contains("cancel")
      }
      let message =
        "`onCancel` may run before this is stored, and only once: check for cancellation after it"
      if !looks { return Finding(.cancellationLost, at: target.start, message) }
    }
    return nil
  }

  /// What `$0` stands for: `request` of `request.withLock { $0 = … }`.
  private func locked(_ target: ExprSyntax) -> String? {
    let closure = target.ancestors.lazy.compactMap { $0.as(ClosureExprSyntax.self) }.first
    guard let name = target.name, closure?.parameterNames.contains(name) == true else { return nil }
    return closure?.call?.calledExpression.as(MemberAccessExprSyntax.self)?.base?.lastName
  }

  /// What the handler cancels unless it is nil: `request` of `box.request?.cancel()` and of
  /// `state.withLock { $0.request }?.cancel()`.
  private var optionals: Set<String> {
    let chains = onCancel.all(OptionalChainingExprSyntax.self).map(\.expression)
    let bindings = onCancel.all(OptionalBindingConditionSyntax.self).map(Syntax.init)
    let inside = (chains.map(Syntax.init) + bindings).flatMap(\.identifiers)
    return Set(inside + chains.compactMap(locked)).subtracting(["self", "withLock"])
  }
}
