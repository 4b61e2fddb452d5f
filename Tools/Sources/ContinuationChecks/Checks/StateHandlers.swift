import SwiftSyntax

/// Handlers for the state of a connection that resume in more than one state. Network calls them
/// again: a connection that was ready may fail or be cancelled later.
enum StateHandlers: Check {
  static let kinds = [Kind.resumedTwice]

  static func findings(in file: SourceFile) -> [Finding] {
    file.waits.filter { !$0.isOfLibrary }.flatMap { wait in
      file.assignments(in: wait.call).compactMap { finding(in: $0, of: wait, file) }
    }
  }

  private static func finding(
    in assignment: Assignment,
    of wait: Wait,
    _ file: SourceFile
  ) -> Finding? {
    let name = assignment.target.lastName
    guard name == "stateUpdateHandler",
      let handler = assignment.value[0].as(ClosureExprSyntax.self),
      // One that removes itself, or that sets a flag, resumes once.
      !file.mentions([name], in: handler), file.assignments(in: handler).isEmpty,
      handler.statements.count == 1, let item = handler.statements.first?.item,
      let states = (item.as(ExpressionStmtSyntax.self)?.expression ?? item.as(ExprSyntax.self))?
        .as(SwitchExprSyntax.self)
    else { return nil }
    let cases = states.cases.compactMap { $0.as(SwitchCaseSyntax.self) }
      .compactMap { state in
        state.resumption(of: wait, in: handler).map { (state: state, resumption: $0) }
      }
    guard let ready = cases.first(where: { $0.state.says("ready") }) else { return nil }
    // Once it is cancelled, it does not fail.
    let cancels = file.mentions(["cancel"], in: ready.state)
    let next = cases.first { other in
      other.state != ready.state && (!cancels || other.state.says("cancelled"))
    }
    guard let next else { return nil }
    let message =
      "a connection that was ready may change its state again, and line # resumes the continuation "
      + "a second time, which crashes"
    return Finding(
      .resumedTwice,
      at: ready.resumption.start,
      message,
      second: next.resumption.start
    )
  }
}

extension SwitchCaseSyntax {
  fileprivate func says(_ name: String) -> Bool {
    label.as(SwitchCaseLabelSyntax.self)?.identifiers.contains(name) == true
  }

  /// A resumption that nothing but the state decides on.
  fileprivate func resumption(
    of wait: Wait,
    in handler: ClosureExprSyntax
  ) -> FunctionCallExprSyntax? {
    if statements.contains(where: { $0.item.is(GuardStmtSyntax.self) }) { return nil }
    return statements.all(FunctionCallExprSyntax.self).first { call in
      let base = call.calledExpression.as(MemberAccessExprSyntax.self)?.base?.name
      return call.callee == "resume" && base.map(wait.names.contains) == true
        && call.scope == Syntax(handler)
        && !call.ancestors.prefix { $0.id != self.id }.contains { $0.is(IfExprSyntax.self) }
    }
  }
}
