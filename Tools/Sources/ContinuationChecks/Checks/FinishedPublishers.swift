import SwiftSyntax

/// Waits for a value of a Combine publisher that may finish without one: the closure for its end
/// resumes only after a failure.
///
/// Whether a publisher can do that, its type does not say, so the kind is debatable.
enum FinishedPublishers: Check {
  static let kinds = [Kind.maybeNeverResumed]
  /// These bring a value before they finish.
  private static let alwaysBringing: Set = [
    "Just", "Future", "dataTaskPublisher", "replaceEmpty", "prepend", "collect", "reduce",
  ]

  static func findings(in file: SourceFile) -> [Finding] {
    file.calls.compactMap { call in
      guard call.callee == "sink", let closures = closures(of: call),
        !file.mentions(alwaysBringing, in: call.calledExpression),
        let wait = file.waits.first(where: { $0.operation?.contains(call) == true }),
        !wait.isOfLibrary, let obligation = wait.obligation, let operation = wait.operation,
        obligation.isMentioned(in: closures.value),
        // Nothing else may resume: no timer, no `handleEvents`.
        operation.references(to: wait.names).allSatisfy({ reference in
          closures.value.contains(reference)
            || closures.end.contains(reference) && reference.isForFailure(within: closures.end)
        })
      else { return nil }
      let message =
        "if the publisher finishes without a value, this closure does not resume, and "
        + obligation.consequence
      return Finding(.maybeNeverResumed, at: closures.end.start, message)
    }
  }

  /// The two closures of `sink`, by their labels or their places.
  private static func closures(
    of sink: FunctionCallExprSyntax
  ) -> (end: ClosureExprSyntax, value: ClosureExprSyntax)? {
    let closures = sink.closures
    guard closures.count == 2, [nil, "receiveCompletion"].contains(closures[0].label) else {
      return nil
    }
    return (closures[0].closure, closures[1].closure)
  }
}

extension SyntaxProtocol {
  fileprivate func references(to names: Set<String>) -> [DeclReferenceExprSyntax] {
    all(DeclReferenceExprSyntax.self).filter { names.contains($0.baseName.text) }
  }

  /// In the `case` of a failure, or where `if case .failure` or `guard case .failure` holds.
  fileprivate func isForFailure(within closure: ClosureExprSyntax) -> Bool {
    let around = ancestors.prefix { $0.id != closure.id }
    let inBranch = around.contains { node in
      let branch = node.as(IfExprSyntax.self)
      let label = node.as(SwitchCaseSyntax.self)?.label.as(SwitchCaseLabelSyntax.self)
      return label.map(\.saysFailure) == true
        || branch.map { $0.conditions.saysFailure && $0.body.contains(self) } == true
    }
    return inBranch
      || closure.statements.contains { item in
        item.endPosition <= position
          && item.item.as(GuardStmtSyntax.self)?.conditions.saysFailure == true
      }
  }

  private var saysFailure: Bool {
    let names = identifiers
    return names.contains("failure") && !names.contains("finished")
  }
}
