import SwiftSyntax

extension Kind {
  static let sleepIgnoresCancellation = Kind("sleep-ignores-cancellation")
  /// The loop only spreads its work, and ends anyway.
  static let maybeSleepIgnoresCancellation = Kind(
    "maybe-sleep-ignores-cancellation",
    isDebatable: true
  )
}

/// Loops that pause with `try? await Task.sleep` and never ask whether they are cancelled. From the
/// cancellation on, they run without a pause.
enum SleepsInLoops: Check {
  static let kinds = [Kind.sleepIgnoresCancellation, .maybeSleepIgnoresCancellation]

  static func findings(in file: SourceFile) -> [Finding] {
    if file.isTest { return [] }
    return file.calls.compactMap { call in
      guard call.callee == "sleep", !call.isInFake,
        let attempt = call.ancestors.prefix(2).lazy.compactMap({ $0.as(TryExprSyntax.self) }).first,
        attempt.questionOrExclamationMark?.tokenKind == .postfixQuestionMark,
        let loop = loop(around: call), !asks(loop, in: file)
      else { return nil }
      let message =
        "a cancelled task runs this loop on without a pause, because `try?` hides the cancellation: "
        + "let the error end the loop"
      let kind: Kind =
        spreads(loop, call) ? .maybeSleepIgnoresCancellation : .sleepIgnoresCancellation
      return Finding(kind, at: attempt.start, message)
    }
  }

  /// A `for` loop ends anyway. In a `catch`, it would repeat a request.
  private static func spreads(_ loop: Syntax, _ sleep: FunctionCallExprSyntax) -> Bool {
    loop.is(ForStmtSyntax.self)
      && !sleep.ancestors.prefix { $0.id != loop.id }.contains { $0.is(CatchClauseSyntax.self) }
  }

  /// The innermost loop of the same task. One over an asynchronous sequence ends with it.
  private static func loop(around call: FunctionCallExprSyntax) -> Syntax? {
    for node in call.ancestors {
      if node.isFunction || node.is(ClosureExprSyntax.self) { return nil }
      if let loop = node.as(ForStmtSyntax.self) {
        return loop.awaitKeyword == nil && !isNeverCancelled(loop) ? node : nil
      }
      if node.is(WhileStmtSyntax.self) || node.is(RepeatStmtSyntax.self) {
        return isNeverCancelled(node) ? nil : node
      }
    }
    return nil
  }

  /// The loop runs in a task that is not kept, as a statement of its own, or in the main file.
  private static func isNeverCancelled(_ loop: some SyntaxProtocol) -> Bool {
    guard let scope = loop.scope else { return true }
    guard let closure = scope.as(ClosureExprSyntax.self), let task = closure.call,
      ["Task", "detached"].contains(task.callee),
      let item = task.parent?.as(CodeBlockItemSyntax.self)
    else { return false }
    // A function that consists of it may return it.
    let function = task.scope?.as(FunctionDeclSyntax.self)
    return function?.signature.returnClause == nil
      || item.parent?.children(viewMode: .all).count ?? 0 > 1
  }

  /// Whether something in the loop looks at the cancellation, or ends the loop after one pause.
  private static func asks(_ loop: Syntax, in file: SourceFile) -> Bool {
    if loop.identifiers.contains(where: { $0.lowercased().contains("cancel") }) { return true }
    // An awaited error leaves the loop, and every wait of a cancelled task may throw one.
    let awaits = loop.all(TryExprSyntax.self).contains { attempt in
      attempt.questionOrExclamationMark == nil && !attempt.all(AwaitExprSyntax.self).isEmpty
        && !attempt.ancestors.prefix { $0.id != loop.id }.contains { around in
          around.is(ClosureExprSyntax.self)
            || around.as(DoStmtSyntax.self).map { !$0.catchClauses.isEmpty } == true
        }
    }
    return awaits
  }
}
