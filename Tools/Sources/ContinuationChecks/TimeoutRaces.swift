import SwiftSyntax

/// Task groups that race a wait against a sleep. A group waits for all its tasks, so the wait has
/// to end when it is cancelled.
struct TimeoutRaces {
  let calls: [FunctionCallExprSyntax]
  let waits: [Wait]

  var mistakes: [Mistake] {
    let groups = calls.filter { $0.name.hasPrefix("with") && $0.name.hasSuffix("TaskGroup") }
    return groups.compactMap(mistake) + timeouts(groups).flatMap(mistakes)
  }

  private func mistake(in group: FunctionCallExprSyntax) -> Mistake? {
    guard let body = group.closures.last?.closure else { return nil }
    let children = tasks(body)
    guard let sleeping = children.first(where: sleepsOnly), endsNothingElse(body, children) else {
      return nil
    }
    for child in children where child.id != sleeping.id {
      if let mistake = mistake(at: group, waitingIn: child) { return mistake }
    }
    return nil
  }

  private func mistake(
    at call: FunctionCallExprSyntax,
    waitingIn closure: ClosureExprSyntax
  ) -> Mistake? {
    let message = "this timeout cannot fire: it waits for a continuation that ignores cancellation"
    if waits.contains(where: {
      closure.contains($0.call) && !$0.isCancellable && isDirect($0.call, in: closure)
    }) {
      return Mistake(.timeoutCannotFire, at: call.start, message)
    }
    for inner in closure.all(FunctionCallExprSyntax.self) where isDirect(inner, in: closure) {
      if let function = bareFunction(inner) {
        return Mistake(.timeoutCannotFire, at: call.start, message + ", in `\(function)`")
      }
    }
    return nil
  }

  private func tasks(_ body: ClosureExprSyntax) -> [ClosureExprSyntax] {
    body.all(FunctionCallExprSyntax.self)
      .filter { ["addTask", "addTaskUnlessCancelled"].contains($0.name) }
      .compactMap { $0.closures.last?.closure }
  }

  /// Sleeps, and then throws or returns: it does not itself end the wait.
  private func sleepsOnly(_ task: ClosureExprSyntax) -> Bool {
    let names = task.all(FunctionCallExprSyntax.self).map(\.name)
    return names.contains("sleep")
      && names.allSatisfy { ["sleep", "seconds", "milliseconds"].contains($0) || isType($0) }
      && task.all(AssignmentExprSyntax.self).isEmpty
  }

  private func endsNothingElse(_ body: ClosureExprSyntax, _ tasks: [ClosureExprSyntax]) -> Bool {
    body.all(FunctionCallExprSyntax.self).allSatisfy { call in
      ["addTask", "addTaskUnlessCancelled", "next", "cancelAll", "waitForAll"].contains(call.name)
        || isType(call.name) || tasks.contains { $0.contains(call) }
    }
  }

  private func isType(_ name: String) -> Bool { name.first?.isUppercase ?? true }

  /// In no other task or handler.
  private func isDirect(_ call: FunctionCallExprSyntax, in closure: ClosureExprSyntax) -> Bool {
    for node in call.ancestors {
      if node.id == closure.id { return true }
      if node.is(ClosureExprSyntax.self) { return false }
    }
    return false
  }

  /// The name of the called function, if it is one of the same type and file that waits.
  private func bareFunction(_ call: FunctionCallExprSyntax) -> String? {
    guard let base = receiver(call) else { return nil }
    let name = call.name
    let isBare = waits.contains { wait in
      guard !wait.isCancellable, let function = wait.function.as(FunctionDeclSyntax.self),
        function.name.text == name, function.signature.effectSpecifiers?.asyncSpecifier != nil,
        !wait.call.ancestors.prefix(while: { $0.id != Syntax(function).id }).contains(where: {
          $0.is(ClosureExprSyntax.self)
        })
      else { return false }
      return typeName(around: function) == typeName(around: call)
        || base == "" && typeName(around: function) == nil
    }
    return isBare ? name : nil
  }

  private func receiver(_ call: FunctionCallExprSyntax) -> String? {
    if call.calledExpression.is(DeclReferenceExprSyntax.self) { return "" }
    let base = call.calledExpression.as(MemberAccessExprSyntax.self)?.base?.unwrapped
    return base.flatMap { ["self", "Self"].contains($0.trimmedDescription) ? "self" : nil }
  }

  private func typeName(around node: some SyntaxProtocol) -> String? {
    for node in node.ancestors {
      if let type = node.as(ExtensionDeclSyntax.self) {
        return type.extendedType.trimmedDescription
      }
      if let type = node.asProtocol((any NamedDeclSyntax).self), !node.isFunction {
        return type.name.text
      }
    }
    return nil
  }

  /// The functions of this file that race their closure against a sleep, and the calls of them.
  private func timeouts(_ groups: [FunctionCallExprSyntax]) -> [FunctionCallExprSyntax] {
    let names = groups.compactMap { group -> String? in
      guard let body = group.closures.last?.closure, tasks(body).contains(where: sleepsOnly),
        endsNothingElse(body, tasks(body)),
        let function = group.ancestors.first(where: \.isFunction)?.as(FunctionDeclSyntax.self)
      else { return nil }
      let closures = function.signature.parameterClause.parameters.filter {
        $0.type.trimmedDescription.contains("async")
      }
      return closures.isEmpty ? nil : function.name.text
    }
    return calls.filter { names.contains($0.name) }
  }

  private func mistakes(of call: FunctionCallExprSyntax) -> [Mistake] {
    call.closures.compactMap { mistake(at: call, waitingIn: $0.closure) }
  }
}
