import SwiftSyntax

extension Kind {
  static let resumedUnderLock = Kind("resumed-under-lock")
}

/// Resumptions under a lock that a cancellation handler takes. The handler runs under the task's
/// own lock, which a resumption takes as well: each may hold what the other waits for.
enum ResumptionsUnderLocks: Check {
  static let kinds = [Kind.resumedUnderLock]

  static func findings(in file: SourceFile) -> [Finding] {
    let handlers = file.calls.compactMap(CancellationHandler.init)
    if handlers.isEmpty { return [] }
    let sections = file.calls.compactMap(CriticalSection.init)
    return sections.flatMap { section -> [Finding] in
      let handler = handlers.first { handler in
        handler.onCancel.isInType(of: section) && !handler.onCancel.contains(section.call)
          && sections.contains { $0.lock == section.lock && isReached($0, from: handler, file) }
      }
      guard let handler else { return [] }
      return section.resumptions.map { resumption in
        let message =
          "this resumes while it holds `\(section.lock)`, which the cancellation handler in line # "
          + "takes: the two can wait for each other, so resume after unlocking"
        return Finding(
          .resumedUnderLock,
          at: resumption.start,
          message,
          second: handler.onCancel.start
        )
      }
    }
  }

  /// Directly, or in a function of the same type that the handler calls.
  private static func isReached(
    _ section: CriticalSection,
    from handler: CancellationHandler,
    _ file: SourceFile
  ) -> Bool {
    if handler.onCancel.contains(section.call) { return true }
    guard let function = section.call.scope?.as(FunctionDeclSyntax.self) else { return false }
    return handler.onCancel.all(FunctionCallExprSyntax.self).contains { call in
      let base = call.calledExpression.as(MemberAccessExprSyntax.self)?.base?.text
      return call.callee == function.name.text && [nil, "self"].contains(base)
        // A task in the handler runs later, and without the task's lock.
        && !call.ancestors.prefix { $0.id != handler.onCancel.id }.contains(where: \.isTask)
    }
  }
}

/// `state.withLock { … }`
private struct CriticalSection {
  let call: FunctionCallExprSyntax
  let lock: String
  let closure: ClosureExprSyntax

  init?(_ call: FunctionCallExprSyntax) {
    guard call.callee.hasPrefix("withLock"),
      let base = call.calledExpression.as(MemberAccessExprSyntax.self)?.base,
      let closure = call.closures.last?.closure
    else { return nil }
    (self.call, lock, self.closure) = (call, base.text, closure)
  }

  /// The resumptions of continuations that run before the lock is released.
  var resumptions: [FunctionCallExprSyntax] {
    closure.all(FunctionCallExprSyntax.self).filter { call in
      guard call.callee == "resume", call.scope == Syntax(closure),
        let base = call.calledExpression.as(MemberAccessExprSyntax.self)?.base
      else { return false }
      let label = call.arguments.first?.label?.text
      return ["returning", "throwing", "with"].contains(label)
        || base.lastName.lowercased().hasSuffix("continuation")
    }
  }
}

extension ClosureExprSyntax {
  /// Whether the section stands in the same type.
  fileprivate func isInType(of section: CriticalSection) -> Bool {
    ancestors.lazy.compactMap(\.typeName).first
      == section.call.ancestors.lazy.compactMap(\.typeName).first
  }
}
