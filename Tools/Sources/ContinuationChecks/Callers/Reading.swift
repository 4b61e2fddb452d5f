import SwiftSyntax

extension SyntaxProtocol {
  /// Whether a reader of this stream may stop before the end of it.
  func reading(in file: SourceFile) -> Answer {
    for node in ancestors {
      if let loop = node.as(ForStmtSyntax.self), loop.sequence.contains(self) {
        return loop.stopping(in: file)
      }
      if let binding = node.as(PatternBindingSyntax.self), binding.accessorBlock == nil {
        return readers(of: binding.pattern.trimmedDescription, in: file)
      }
      if let assignment = node.as(SequenceExprSyntax.self)?.assignment {
        return assignment.target.is(DiscardAssignmentExprSyntax.self)
          ? .no : readers(of: assignment.target.lastName, in: file)
      }
      // Somebody else reads it.
      if node.is(FunctionCallExprSyntax.self), !node.isReceiver(of: self) { return .yes() }
      if node.is(ClosureExprSyntax.self) { return .yes() }
      if node.isReachedByName { return .ask(.reading, around: self) ?? .yes() }
    }
    return .yes()
  }

  /// The loops over a variable, in the function around it.
  private func readers(of name: String, in file: SourceFile) -> Answer {
    let around = ancestors.first(where: \.isFunction) ?? Syntax(file.tree)
    let loops = around.all(ForStmtSyntax.self)
      .filter { $0.awaitKeyword != nil && $0.sequence.identifiers.contains(name) }
    let isReturned = around.all(ReturnStmtSyntax.self)
      .contains { $0.expression?.name == name }
    if isReturned, let callers = Answer.ask(.reading, around: self) { return callers }
    // A property that others read.
    guard let loop = loops.first else { return .yes() }
    return loop.stopping(in: file)
  }

  /// `stream.map { … }` reads as this does.
  fileprivate func isReceiver(of node: some SyntaxProtocol) -> Bool {
    self.as(FunctionCallExprSyntax.self)?.calledExpression.contains(node) == true
  }
}

extension ForStmtSyntax {
  /// Whether the loop may end before its sequence does.
  fileprivate func stopping(in file: SourceFile) -> Answer {
    let leaves =
      body.all(ReturnStmtSyntax.self).map(Syntax.init)
      + body.all(ThrowStmtSyntax.self).map(Syntax.init)
      + body.all(BreakStmtSyntax.self).map(Syntax.init)
      + body.all(TryExprSyntax.self).filter { $0.questionOrExclamationMark == nil }.map(Syntax.init)
    let isLeft = leaves.contains { leaving in
      let around = leaving.ancestors.prefix { $0.id != id }
      // A `return` of a closure leaves the closure, and a `break` leaves the innermost of these.
      return !around.contains { node in
        node.is(ClosureExprSyntax.self) || node.isFunction
          || [.tryExpr, .throwStmt].contains(leaving.kind) && node.is(DoStmtSyntax.self)
          || leaving.is(BreakStmtSyntax.self)
            && [.switchExpr, .forStmt, .whileStmt, .repeatStmt].contains(node.kind)
      }
    }
    return isLeft ? .yes(ifUsed: usedFunction) : cancellation(in: file)
  }
}
