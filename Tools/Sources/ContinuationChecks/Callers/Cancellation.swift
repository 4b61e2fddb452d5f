import SwiftSyntax

extension SyntaxProtocol {
  /// Whether something cancels the task that this runs in.
  func cancellation(in file: SourceFile) -> Answer {
    for node in ancestors {
      if let closure = node.as(ClosureExprSyntax.self) {
        switch closure.call?.callee {
        case "Task", "detached", "immediate", "immediateDetached":
          return closure.call?.cancellationOfTask(in: file) ?? .no
        // The other tasks of a group, or a view that disappears, cancel these.
        case "addTask", "addTaskUnlessCancelled", "task", "refreshable": return .yes()
        default: continue
        }
      }
      let isAsync = node.as(VariableDeclSyntax.self)?.modifiers.contains { $0.name.text == "async" }
      if isAsync == true { return .yes() }
      if node.isReachedByName { return .ask(.cancellation, around: self) ?? .no }
    }
    return .no
  }
}

extension FunctionCallExprSyntax {
  /// Whether something cancels the task that this makes.
  fileprivate func cancellationOfTask(in file: SourceFile) -> Answer {
    if let item = parent?.as(CodeBlockItemSyntax.self) {
      // The value of a closure, or of a function, that consists of it.
      let isAlone = item.parent?.children(viewMode: .sourceAccurate).count == 1
      let function = scope?.as(FunctionDeclSyntax.self)
      return isAlone && function?.signature.returnClause != nil ? .yes() : .no
    }
    guard let name = storedName else { return .yes() }
    let functions = file.cancellations.filter { $0.identifiers.contains(name) }
    if functions.isEmpty { return .no }
    let names = functions.map { $0.as(FunctionDeclSyntax.self)?.ownName }
    return .yes(ifUsed: names.contains(nil) ? [] : Set(names.compactMap(\.self)))
  }

  /// The variable or the collection that keeps the value. Nil if something else gets it.
  private var storedName: String? {
    for node in ancestors.prefix(while: { !$0.is(CodeBlockItemSyntax.self) }) {
      if node.is(ClosureExprSyntax.self) { return nil }
      if let binding = node.as(PatternBindingSyntax.self) {
        return binding.pattern.trimmedDescription
      }
      if let assignment = node.as(SequenceExprSyntax.self)?.assignment,
        assignment.value.contains(where: { $0.contains(self) })
      {
        return assignment.target.lastName
      }
      if let call = node.as(FunctionCallExprSyntax.self),
        ["append", "insert", "updateValue"].contains(call.callee)
      {
        return call.calledExpression.as(MemberAccessExprSyntax.self)?.base?.lastName
      }
    }
    return nil
  }
}
