import SwiftSyntax

/// Task groups that race a wait against a sleep. A group waits for all its tasks, so the wait has
/// to end when it is cancelled.
struct TimeoutRaces {
  let calls: [FunctionCallExprSyntax]
  let waits: [Wait]

  var findings: [Finding] {
    calls.compactMap { call in
      race(call)?.lazy.compactMap(whatIgnoresCancellation).first.map {
        let message =
          "this timeout cannot fire, because it waits for \($0), which ignores cancellation"
        return Finding(.timeoutCannotFire, at: call.start, message)
      }
    }
  }

  /// The tasks beside one that sleeps and then only throws or returns: nothing else ends a wait.
  private func race(_ group: FunctionCallExprSyntax) -> [ClosureExprSyntax]? {
    guard group.callee.hasPrefix("with"), group.callee.hasSuffix("TaskGroup"),
      let body = group.closures.last?.closure
    else { return nil }
    let children = body.all(ClosureExprSyntax.self).filter(\.isTask)
    let sleeping = children.filter { child in
      child.all(FunctionCallExprSyntax.self).contains { $0.callee == "sleep" }
    }
    let others = children.filter { !sleeping.contains($0) }
    let known: Set = [
      "addTask", "addTaskUnlessCancelled", "sleep", "seconds", "milliseconds", "next", "cancelAll",
      "waitForAll", "",
    ]
    // If the sleep ends with an error, nothing else runs then.
    let fails = sleeping.allSatisfy { !$0.all(ThrowStmtSyntax.self).isEmpty }
    let doesMore = body.all(FunctionCallExprSyntax.self).contains { call in
      let runs = call.ancestors.contains {
        [.deferStmt, .catchClause].contains($0.kind) || sleeping.map(Syntax.init).contains($0)
      }
      return !known.contains(call.callee) && call.callee.first?.isUppercase != true
        && !others.contains { $0.contains(call) } && (runs || !fails)
    }
    let assigns = sleeping.contains { !$0.assignments.isEmpty }
    return sleeping.isEmpty || doesMore || assigns ? nil : others
  }

  /// Directly in the closure, or in a function of the same type and file that it calls.
  private func whatIgnoresCancellation(in closure: ClosureExprSyntax) -> String? {
    let direct = closure.all(FunctionCallExprSyntax.self).filter { $0.scope == Syntax(closure) }
    let bare = waits.filter { !$0.isCancellable }
    if bare.contains(where: { direct.contains($0.call) }) { return "a continuation" }
    return direct.first { call in bare.contains { isReached($0, from: call) } }
      .map { "the continuation in `\($0.callee)`" }
  }

  private func isReached(_ wait: Wait, from call: FunctionCallExprSyntax) -> Bool {
    let base = call.calledExpression.as(MemberAccessExprSyntax.self)?.base?.trimmedDescription
    guard [nil, "self", "Self"].contains(base),
      let function = wait.call.scope?.as(FunctionDeclSyntax.self),
      function.name.text == call.callee
    else { return false }
    let type = function.ancestors.lazy.compactMap(\.typeName).first
    return type == call.ancestors.lazy.compactMap(\.typeName).first || type == nil && base == nil
  }
}
