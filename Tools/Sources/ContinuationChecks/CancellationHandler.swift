import SwiftSyntax

/// A call of `withTaskCancellationHandler` or a relative of it.
struct CancellationHandler {
  let operation: ClosureExprSyntax
  private let onCancel: ClosureExprSyntax

  init?(_ call: FunctionCallExprSyntax) {
    let isHandler = { (label: String?) in label?.hasPrefix("onCancel") == true }
    guard
      [
        "withTaskCancellationHandler", "withTaskCancellationOrGracefulShutdownHandler",
        "withGracefulShutdownHandler",
      ].contains(call.callee),
      let onCancel = call.closures.first(where: { isHandler($0.label) })?.closure,
      let operation = call.closures.first(where: { !isHandler($0.label) })?.closure
    else { return nil }
    (self.operation, self.onCancel) = (operation, onCancel)
  }

  /// A request that the handler does nothing about if it runs before the request is stored.
  var lostCancellation: Finding? {
    let waits = operation.all(FunctionCallExprSyntax.self).compactMap(Wait.init)
    // A handler that leaves a note may be asked later.
    let leavesNote = onCancel.all(SequenceExprSyntax.self).contains {
      $0.assignment().map { $0.value.first?.is(NilLiteralExprSyntax.self) == false } ?? false
    }
    guard !leavesNote else { return nil }
    let requests = optionals
    for sequence in operation.all(SequenceExprSyntax.self) {
      guard let (target, value) = sequence.assignment(),
        case let name = locked(target) ?? target.lastName, requests.contains(name),
        value.first?.is(NilLiteralExprSyntax.self) == false,
        let wait = waits.first(where: { $0.call.contains(sequence) }),
        !isOnActor || suspends(before: wait.call)
      else { continue }
      // The continuation itself may be stored after a look, if no other thread comes between.
      let isContinuation = value.contains { !$0.identifiers.isDisjoint(with: wait.names) }
      let start = isContinuation ? wait.call.position : sequence.endPosition
      let looks = operation.tokens(viewMode: .sourceAccurate).contains {
        $0.position >= start && $0.text.lowercased().contains("cancel")
      }
      guard !looks else { continue }
      return Finding(
        .cancellationLost,
        at: sequence.start,
        "`onCancel` may run before `\(name)` is stored here, and only once: check for"
          + " cancellation after this"
      )
    }
    return nil
  }

  /// What `$0` stands for: `request` of `request.withLock { $0 = … }`.
  private func locked(_ target: ExprSyntax) -> String? {
    let closure = target.ancestors.lazy.compactMap { $0.as(ClosureExprSyntax.self) }.first
    guard let name = target.name, closure?.parameterNames.contains(name) == true else { return nil }
    return closure?.call?.calledExpression.as(MemberAccessExprSyntax.self)?.base?.lastName
  }

  /// The handler makes a task, which runs when the operation's actor is free.
  private var isOnActor: Bool { onCancel.all(ClosureExprSyntax.self).contains(where: \.isTask) }

  private func suspends(before call: FunctionCallExprSyntax) -> Bool {
    operation.all(AwaitExprSyntax.self).contains { $0.endPosition <= call.position }
  }

  /// What the handler cancels unless it is nil: `request` of `box.request?.cancel()` and of
  /// `state.withLock { $0.request }?.cancel()`.
  private var optionals: Set<String> {
    let chains = onCancel.all(OptionalChainingExprSyntax.self).map(\.expression)
    let bindings = onCancel.all(OptionalBindingConditionSyntax.self)
    let names =
      chains.map(\.lastName) + bindings.map(\.pattern.trimmedDescription)
      + chains.map(\.chain.root.lastName)
    let inside =
      chains.flatMap { $0.all(ClosureExprSyntax.self) }.map(Syntax.init)
      + bindings.compactMap { $0.initializer.map(Syntax.init) }
    return inside.reduce(into: Set(names)) { $0.formUnion($1.identifiers) }
      .subtracting(["", "self", "withLock"])
  }
}
