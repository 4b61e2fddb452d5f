import SwiftSyntax

extension Kind {
  static let cancellationCheckInCallback = Kind("cancellation-check-in-callback")
}

/// Checks for cancellation in closures that no task runs, but that answer one. They are rare: they
/// come from one helper that many projects copy, so the check knows the two forms of that.
enum ChecksInCallbacks: Check {
  static let kinds = [Kind.cancellationCheckInCallback]
  private static let names: Set = ["isCancelled", "checkCancellation"]

  static func findings(in file: SourceFile) -> [Finding] {
    let waits = file.waits.compactMap { wait in
      wait.operation.flatMap { operation in wait.obligation.map { ($0, Syntax(operation)) } }
    }
    let handlers = file.completionHandlers.map { ($0.obligation, Syntax($0.body)) }
    return (waits + handlers).filter { file.mentions(names, in: $0.1) }
      .flatMap { findings(in: $0.1, $0.0) }
  }

  private static func findings(in node: Syntax, _ obligation: Obligation) -> [Finding] {
    node.all(MemberAccessExprSyntax.self).compactMap { check in
      guard names.contains(check.declName.baseName.text),
        let base = check.base, base.lastName == "Task", !base.is(FunctionCallExprSyntax.self)
      else { return nil }
      for node in check.ancestors.prefix(while: { $0.id != node.id && !$0.isFunction }) {
        guard let closure = node.as(ClosureExprSyntax.self) else { continue }
        let isAsync = closure.signature?.effectSpecifiers?.asyncSpecifier != nil
        if isAsync || closure.isTask || !closure.all(AwaitExprSyntax.self).isEmpty { return nil }
        let isAtOnce = closure.call.map { Words($0.callee).saysAtOnce } ?? false
        guard !isAtOnce, obligation.isMentioned(in: closure) else { continue }
        let message = "no task runs this callback, so this never sees a cancellation: remove it"
        return Finding(.cancellationCheckInCallback, at: check.start, message)
      }
      return nil
    }
  }
}
