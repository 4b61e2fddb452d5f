import SwiftSyntax

extension Kind {
  static let streamTaskNotCancelled = Kind("stream-task-not-cancelled")
  /// The task has an end of its own.
  static let maybeStreamTaskNotCancelled = Kind(
    "maybe-stream-task-not-cancelled",
    isDebatable: true
  )
}

/// Streams whose builder starts a task that nothing ends when the reader stops.
enum StreamTasks: Check {
  static let kinds = [Kind.streamTaskNotCancelled, .maybeStreamTaskNotCancelled]

  static func findings(in file: SourceFile) -> [Finding] {
    if file.isTest { return [] }
    return file.calls.compactMap { call in
      guard ["AsyncStream", "AsyncThrowingStream"].contains(call.callee), !call.isInFake,
        !call.closures.contains(where: { ["unfolding", "onCancel"].contains($0.label) }),
        let builder = call.closures.last?.closure,
        // One that is asked whether the reader has stopped may end by itself.
        !file.mentions(["onTermination", "terminated"], in: builder),
        let task = builder.statements.lazy.compactMap(task).first
      else { return nil }
      let message =
        "this task runs on when the reader of the stream stops: cancel it in `onTermination`"
      let kind: Kind =
        task.waitsAgainAndAgain ? .streamTaskNotCancelled : .maybeStreamTaskNotCancelled
      return Finding(kind, at: task.start, message, if: call.reading(in: file))
    }
  }

  /// A task that waits for something, and that the builder keeps nowhere else.
  private static func task(in item: CodeBlockItemSyntax) -> FunctionCallExprSyntax? {
    let variable = item.item.as(VariableDeclSyntax.self)?.bindings.first?.initializer?.value
    var value = variable ?? item.item.as(ExprSyntax.self)
    if let assignment = value?.as(SequenceExprSyntax.self)?.assignment {
      value = assignment.target.is(DiscardAssignmentExprSyntax.self) ? assignment.value[0] : nil
    }
    guard let call = value?.as(FunctionCallExprSyntax.self),
      let closure = call.closures.last?.closure, closure.isTask, closure.call == call,
      closure.all(AwaitExprSyntax.self).contains(where: { !$0.isTimer })
        || closure.all(ForStmtSyntax.self).contains(where: { $0.awaitKeyword != nil })
    else { return nil }
    return call
  }
}

extension AwaitExprSyntax {
  /// A sleep that no loop repeats ends by itself, as a timeout does.
  fileprivate var isTimer: Bool {
    expression.as(FunctionCallExprSyntax.self)?.callee == "sleep"
      && !ancestors.prefix { !$0.is(ClosureExprSyntax.self) }
        .contains { [.forStmt, .whileStmt, .repeatStmt].contains($0.kind) }
  }
}

extension SyntaxProtocol {
  /// It has a loop that ends only when another side ends it. A `for` loop over a list, and over the
  /// results of a task group, ends by itself.
  fileprivate var waitsAgainAndAgain: Bool {
    !all(WhileStmtSyntax.self).isEmpty || !all(RepeatStmtSyntax.self).isEmpty
      || all(ForStmtSyntax.self).contains { loop in
        loop.awaitKeyword != nil && !loop.sequence.lastName.lowercased().hasSuffix("group")
      }
  }
}
