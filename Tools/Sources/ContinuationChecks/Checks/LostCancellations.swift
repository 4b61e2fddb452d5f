import SwiftSyntax

extension Kind {
  static let cancellationLost = Kind("cancellation-lost")
}

/// Requests that a cancellation handler does nothing about if it runs before they are stored.
enum LostCancellations: Check {
  static let kinds = [Kind.cancellationLost]

  static func findings(in file: SourceFile) -> [Finding] {
    file.calls.compactMap(CancellationHandler.init).compactMap { finding($0, in: file) }
  }

  private static func finding(_ handler: CancellationHandler, in file: SourceFile) -> Finding? {
    let (operation, onCancel) = (handler.operation, handler.onCancel)
    // A handler that leaves a note may be asked later; a task in it may run later.
    guard file.assignments(in: onCancel).allSatisfy(\.isToNil),
      !onCancel.all(ClosureExprSyntax.self).contains(where: \.isTask)
    else { return nil }
    let waits = file.waits.filter { operation.contains($0.call) }
    for assignment in file.assignments(in: operation) where !assignment.isToNil {
      let target = assignment.target
      let name = locked(target) ?? target.lastName
      guard cancelled(by: onCancel).contains(name),
        let wait = waits.first(where: { $0.call.contains(target) }),
        // What is declared in the wait is another variable with this name.
        !wait.call.all(VariableDeclSyntax.self).contains(where: { $0.declares(target) })
      else { continue }
      // The continuation itself may be stored after a look, if no other thread comes between.
      let isContinuation = assignment.value[0].name.map(wait.names.contains) ?? false
      let start = isContinuation ? wait.call.position : target.endPosition
      let looks = operation.tokens(viewMode: .sourceAccurate).contains {
        $0.position >= start && $0.text.lowercased().contains("cancel")
      }
      if looks { continue }
      let message =
        "`onCancel` may run before `\(name)` is stored here, and only once: check for cancellation "
        + "after it"
      return Finding(.cancellationLost, at: target.start, message)
    }
    return nil
  }

  /// What `$0` stands for: `request` of `request.withLock { $0 = … }`.
  private static func locked(_ target: ExprSyntax) -> String? {
    let closure = target.ancestors.lazy.compactMap { $0.as(ClosureExprSyntax.self) }.first
    guard let name = target.name, closure?.parameterNames.contains(name) == true else { return nil }
    return closure?.call?.calledExpression.as(MemberAccessExprSyntax.self)?.base?.lastName
  }

  /// What the handler cancels unless it is nil: `request` of `box.request?.cancel()` and of
  /// `state.withLock { $0.request }?.cancel()`.
  private static func cancelled(by onCancel: ClosureExprSyntax) -> Set<String> {
    let chains = onCancel.all(OptionalChainingExprSyntax.self).map(\.expression)
    let bindings = onCancel.all(OptionalBindingConditionSyntax.self).map(Syntax.init)
    let inside = (chains.map(Syntax.init) + bindings).flatMap(\.identifiers)
    return Set(inside + chains.compactMap(locked)).subtracting(["self", "withLock"])
  }
}

extension VariableDeclSyntax {
  fileprivate func declares(_ target: ExprSyntax) -> Bool {
    guard let name = target.name else { return false }
    return bindings.contains {
      $0.pattern.as(IdentifierPatternSyntax.self)?.identifier.text == name
    }
  }
}
