import SwiftSyntax

/// Task groups that race a wait against a sleep. A group waits for all its tasks, so the wait has
/// to end when it is cancelled.
struct TimeoutRaces {
  let calls: [FunctionCallExprSyntax]
  let waits: [Wait]

  var findings: [Finding] {
    let races = calls.filter { $0.callee.hasPrefix("with") && $0.callee.hasSuffix("TaskGroup") }
      .compactMap { call in race(call).map { (call: call, children: $0) } }
    // The functions of this file that race what is passed to them.
    let timeouts = races.compactMap { race -> String? in
      let function = race.call.ancestors.first(where: \.isFunction)?.as(FunctionDeclSyntax.self)
      let parameters = function?.signature.parameterClause.trimmedDescription
      return parameters?.contains("async") == true ? function?.name.text : nil
    }
    let uses = calls.filter { timeouts.contains($0.callee) }
      .map { (call: $0, children: $0.closures.map(\.closure)) }
    return (races + uses).compactMap { call, children in
      children.lazy.compactMap(whatIgnoresCancellation).first.map {
        let message =
          "this timeout cannot fire, because it waits for \($0), which ignores cancellation"
        return Finding(.timeoutCannotFire, at: call.start, message)
      }
    }
  }

  /// The tasks beside one that sleeps and then only throws or returns: nothing else ends a wait.
  private func race(_ group: FunctionCallExprSyntax) -> [ClosureExprSyntax]? {
    guard let body = group.closures.last?.closure else { return nil }
    let add = ["addTask", "addTaskUnlessCancelled"]
    let children = body.all(FunctionCallExprSyntax.self).filter { add.contains($0.callee) }
      .compactMap { $0.closures.last?.closure }
    let sleeping = children.filter {
      $0.all(FunctionCallExprSyntax.self).contains { $0.callee == "sleep" }
    }
    let known = add + ["sleep", "seconds", "milliseconds", "next", "cancelAll", "waitForAll", ""]
    let calls = body.all(FunctionCallExprSyntax.self)
    // If the sleep ends with an error, what follows `next()` does not run.
    let throwing = sleeping.allSatisfy { !$0.all(ThrowStmtSyntax.self).isEmpty }
    let next = calls.first { throwing && $0.callee == "next" }
    let doesMore = calls.contains { call in
      let runs =
        (next?.position ?? call.position) >= call.position
        || call.ancestors.contains {
          $0.is(DeferStmtSyntax.self) || $0.is(CatchClauseSyntax.self)
        }
      return runs && !known.contains(call.callee) && call.callee.first?.isUppercase != true
        && !children.contains { $0.contains(call) && !sleeping.contains($0) }
    }
    let assigns = sleeping.contains { !$0.all(AssignmentExprSyntax.self).isEmpty }
    return sleeping.isEmpty || doesMore || assigns
      ? nil : children.filter { !sleeping.contains($0) }
  }

  /// Directly in the closure, or in a function that it calls.
  private func whatIgnoresCancellation(in closure: ClosureExprSyntax) -> String? {
    let direct = closure.all(FunctionCallExprSyntax.self).filter { call in
      call.ancestors.first { $0.is(ClosureExprSyntax.self) }?.id == closure.id
    }
    let bare = waits.filter { !$0.isCancellable }
    if bare.contains(where: { direct.contains($0.call) }) { return "a continuation" }
    return direct.first { call in bare.contains { isReached($0, from: call) } }
      .map { "the continuation in `\($0.callee)`" }
  }

  /// The function is one of the same type and file.
  private func isReached(_ wait: Wait, from call: FunctionCallExprSyntax) -> Bool {
    let base = call.calledExpression.as(MemberAccessExprSyntax.self)?.base?.unwrapped
    guard [nil, "self", "Self"].contains(base?.trimmedDescription),
      let function = wait.function.as(FunctionDeclSyntax.self), function.name.text == call.callee,
      function.signature.effectSpecifiers?.asyncSpecifier != nil,
      wait.call.ancestors.first(where: { $0.is(ClosureExprSyntax.self) || $0.isFunction })?.id
        == function.id
    else { return false }
    let type = typeName(around: function)
    return type == typeName(around: call) || type == nil && base == nil
  }

  private func typeName(around node: some SyntaxProtocol) -> String? {
    let type = node.ancestors.first { $0.asProtocol((any DeclGroupSyntax).self) != nil }
    return type?.as(ExtensionDeclSyntax.self)?.extendedType.trimmedDescription
      ?? type?.asProtocol((any NamedDeclSyntax).self)?.name.text
  }
}
