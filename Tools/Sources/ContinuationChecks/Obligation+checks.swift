import SwiftSyntax

extension Obligation {
  /// The checks for cancellation in closures that no task runs, but that resume one.
  func checksInCallbacks(of node: some SyntaxProtocol) -> [Finding] {
    node.all(MemberAccessExprSyntax.self).compactMap { check in
      guard ["isCancelled", "checkCancellation"].contains(check.declName.baseName.text),
        let base = check.base, base.lastName == "Task", !base.is(FunctionCallExprSyntax.self),
        isInCallback(check, of: node)
      else { return nil }
      let message = "no task runs this callback, so this never sees a cancellation: remove it"
      return Finding(.cancellationCheckInCallback, at: check.start, message)
    }
  }

  private func isInCallback(_ check: MemberAccessExprSyntax, of outer: some SyntaxProtocol) -> Bool
  {
    for node in check.ancestors.prefix(while: { $0.id != outer.id && !$0.isFunction }) {
      guard let closure = node.as(ClosureExprSyntax.self) else { continue }
      let isAsync = closure.signature?.effectSpecifiers?.asyncSpecifier != nil
      if isAsync || closure.isTask || !closure.all(AwaitExprSyntax.self).isEmpty { return false }
      let isAtOnce = closure.call.map { Words($0.callee).saysAtOnce } ?? false
      if !isAtOnce, isMentioned(in: closure) { return true }
    }
    return false
  }
}
