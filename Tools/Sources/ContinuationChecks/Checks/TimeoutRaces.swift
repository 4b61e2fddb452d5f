import SwiftSyntax

extension Kind {
  static let timeoutCannotFire = Kind("timeout-cannot-fire")
  static let answerWaitsForTimeout = Kind("answer-waits-for-timeout")
}

/// Task groups that race a wait against a sleep. A group waits for all its tasks, so the wait has
/// to end when it is cancelled, and the sleep has to be cancelled.
enum TimeoutRaces: Check {
  static let kinds = [Kind.timeoutCannotFire, .answerWaitsForTimeout]

  static func findings(in file: SourceFile) -> [Finding] {
    file.calls.compactMap { call in
      guard let others = race(call) else { return nil }
      if let what = others.lazy.compactMap({ whatIgnoresCancellation(in: $0, file) }).first {
        let message =
          "this timeout cannot fire, because it waits for \(what), which ignores cancellation"
        return Finding(.timeoutCannotFire, at: call.start, message)
      }
      // Only an error cancels the other tasks without being asked.
      if others.isEmpty || file.mentions(["cancelAll", "waitForAll"], in: call)
        || !file.mentions(["next"], in: call)
      {
        return nil
      }
      let message = "an answer waits here for the end of the sleep: call `cancelAll()` before"
      return Finding(.answerWaitsForTimeout, at: call.start, message)
    }
  }

  /// The tasks beside one that sleeps and then only throws or returns: nothing else ends a wait.
  private static func race(_ group: FunctionCallExprSyntax) -> [ClosureExprSyntax]? {
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
    let assigns = sleeping.contains { child in
      child.all(SequenceExprSyntax.self).contains { $0.assignment != nil }
    }
    // Who waits for all of them wants the sleep to be the shortest time, not the longest.
    let waits = !fails && body.identifiers.contains("waitForAll")
    return sleeping.isEmpty || doesMore || assigns || waits ? nil : others
  }

  /// Directly in the closure, or in a function of the same type and file that it calls.
  private static func whatIgnoresCancellation(
    in closure: ClosureExprSyntax,
    _ file: SourceFile
  ) -> String? {
    // The value of another task, which nothing cancels: `task.value`.
    if let item = closure.statements.first?.item, closure.statements.count == 1,
      let value = item.as(ReturnStmtSyntax.self)?.expression ?? item.as(ExprSyntax.self),
      let member = value.unwrapped.as(MemberAccessExprSyntax.self),
      member.declName.baseName.text == "value", let base = member.base?.name,
      base.lowercased().hasSuffix("task"), !value.is(FunctionCallExprSyntax.self)
    {
      return "another task"
    }
    let direct = closure.all(FunctionCallExprSyntax.self).filter { $0.scope == Syntax(closure) }
    let bare = file.waits.filter { !$0.isCancellable }
    if bare.contains(where: { direct.contains($0.call) }) { return "a continuation" }
    return direct.first { call in bare.contains { isReached($0, from: call) } }
      .map { "the continuation in `\($0.callee)`" }
  }

  private static func isReached(_ wait: Wait, from call: FunctionCallExprSyntax) -> Bool {
    let base = call.calledExpression.as(MemberAccessExprSyntax.self)?.base?.trimmedDescription
    guard [nil, "self", "Self"].contains(base),
      let function = wait.call.scope?.as(FunctionDeclSyntax.self),
      function.name.text == call.callee
    else { return false }
    let type = function.ancestors.lazy.compactMap(\.typeName).first
    return type == call.ancestors.lazy.compactMap(\.typeName).first || type == nil && base == nil
  }
}
