import SwiftSyntax

extension Kind {
  static let sleepIgnoresCancellation = Kind("sleep-ignores-cancellation")
  /// The loop ends anyway: after a number of rounds, at a deadline, or because its request fails.
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
      // Most tasks are not kept, and nothing cancels them.
      let cancellation = loop.cancellation(in: file)
      if cancellation == .no { return nil }
      let message =
        "a cancelled task runs this loop on without a pause, because `try?` hides the cancellation: "
        + "let the error end the loop"
      let kind: Kind =
        endsAnyway(loop, in: file)
        ? .maybeSleepIgnoresCancellation : .sleepIgnoresCancellation
      return Finding(kind, at: attempt.start, message, if: cancellation)
    }
  }

  /// Without a pause, these loops soon end, or were ended before.
  private static func endsAnyway(_ loop: Syntax, in file: SourceFile) -> Bool {
    loop.is(ForStmtSyntax.self) || counts(loop, file) || isStopped(loop, file)
      || !loop.comparedOnLeaving.isDisjoint(with: clocks)
  }

  /// What tells the time: a loop that compares it ends at a deadline.
  private static let clocks: Set = [
    "now", "Date", "timeIntervalSince", "timeIntervalSinceNow", "CFAbsoluteTimeGetCurrent",
  ]

  /// A variable that the loop counts up or down ends it.
  private static func counts(_ loop: Syntax, _ file: SourceFile) -> Bool {
    let counted = file.assignments(in: loop)
      .filter { assignment in
        let name = assignment.target.lastName
        return assignment.isCompound || assignment.value.contains { $0.identifiers.contains(name) }
      }
    return !Set(counted.map(\.target.lastName)).isDisjoint(with: loop.comparedOnLeaving)
  }

  /// Its condition asks for a flag that a `catch` in the loop sets, because a cancelled request
  /// fails, or that is set where something is cancelled.
  private static func isStopped(_ loop: Syntax, _ file: SourceFile) -> Bool {
    let cancelling = file.calls.filter { $0.callee == "cancel" }.compactMap(\.scope)
    let set = (loop.all(CatchClauseSyntax.self).map(Syntax.init) + cancelling)
      .flatMap { file.assignments(in: $0) }.filter { !$0.isCompound }
    return !Set(set.map(\.target.lastName)).isDisjoint(with: loop.condition?.identifiers ?? [])
  }

  /// The innermost loop of the same task. One over an asynchronous sequence ends with it.
  private static func loop(around call: FunctionCallExprSyntax) -> Syntax? {
    for node in call.ancestors {
      if node.isFunction || node.is(ClosureExprSyntax.self) { return nil }
      if let loop = node.as(ForStmtSyntax.self) {
        return loop.awaitKeyword == nil ? node : nil
      }
      if node.is(WhileStmtSyntax.self) || node.is(RepeatStmtSyntax.self) { return node }
    }
    return nil
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

extension SyntaxProtocol {
  /// A statement in it leaves what is around it.
  fileprivate var leaves: Bool {
    !all(ReturnStmtSyntax.self).isEmpty || !all(ThrowStmtSyntax.self).isEmpty
      || !all(BreakStmtSyntax.self).isEmpty
  }
}

extension Syntax {
  fileprivate var condition: Syntax? {
    self.as(WhileStmtSyntax.self).map { Syntax($0.conditions) }
      ?? self.as(RepeatStmtSyntax.self).map { Syntax($0.condition) }
  }

  /// The names that are compared where the loop asks whether to leave.
  fileprivate var comparedOnLeaving: Set<String> {
    let exits =
      all(IfExprSyntax.self).filter(\.body.leaves).map { Syntax($0.conditions) }
      + all(GuardStmtSyntax.self).filter(\.body.leaves).map { Syntax($0.conditions) }
    let comparisons = (exits + [condition].compactMap(\.self))
      .flatMap { $0.all(SequenceExprSyntax.self) }
      .filter { sequence in
        sequence.elements.contains { sign in
          let text = sign.as(BinaryOperatorExprSyntax.self)?.operator.text ?? ""
          return ["<", "<=", ">", ">=", "=="].contains(text)
        }
      }
    return Set(comparisons.flatMap(\.identifiers))
  }
}
