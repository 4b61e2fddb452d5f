import SwiftSyntax

/// A call of `withTaskCancellationHandler` or a relative of it.
struct CancellationHandler {
  let operation: ClosureExprSyntax
  private let onCancel: ClosureExprSyntax

  init?(_ call: FunctionCallExprSyntax) {
    guard
      [
        "withTaskCancellationHandler", "withTaskCancellationOrGracefulShutdownHandler",
        "withGracefulShutdownHandler",
      ].contains(call.name),
      let onCancel = call.closures.first(where: { $0.label?.hasPrefix("onCancel") == true }),
      let operation = call.closures.first(where: { $0.closure.id != onCancel.closure.id })
    else { return nil }
    self.operation = operation.closure
    self.onCancel = onCancel.closure
  }

  /// A request that the handler does nothing about if it runs before the request is stored.
  var lostCancellation: Mistake? {
    let waits = operation.all(FunctionCallExprSyntax.self).compactMap(Wait.init)
    guard !waits.isEmpty, !isRemembered else { return nil }
    let requests = optionalRequests
    for sequence in operation.all(SequenceExprSyntax.self) {
      let elements = Array(sequence.elements)
      guard elements.count == 3, elements[1].is(AssignmentExprSyntax.self),
        !elements[2].is(NilLiteralExprSyntax.self), !elements[2].is(DeclReferenceExprSyntax.self),
        requests.contains(elements[0].lastName),
        waits.contains(where: { $0.call.contains(sequence) }),
        !looksAgain(after: sequence)
      else { continue }
      return Mistake(
        .cancellationLost,
        at: sequence.start,
        "`onCancel` may have run before `\(elements[0].lastName)` is stored here,"
          + " and runs only once: check for cancellation after this"
      )
    }
    return nil
  }

  /// What the handler cancels unless it is nil: `request` of `box.request?.cancel()`.
  private var optionalRequests: Set<String> {
    var names = Set(onCancel.all(OptionalChainingExprSyntax.self).map(\.expression.lastName))
    for binding in onCancel.all(OptionalBindingConditionSyntax.self) {
      names.formUnion((binding.initializer.map { Syntax($0) } ?? Syntax(binding)).identifiers)
      names.formUnion(binding.pattern.identifiers)
    }
    // `state.withLock { $0.request }?.cancel()`
    for chain in onCancel.all(OptionalChainingExprSyntax.self) {
      for closure in chain.all(ClosureExprSyntax.self) { names.formUnion(closure.identifiers) }
    }
    return names.subtracting(["", "self", "withLock"])
  }

  /// The handler leaves a note, which may be read later.
  private var isRemembered: Bool {
    onCancel.all(SequenceExprSyntax.self).contains { sequence in
      let elements = Array(sequence.elements)
      return elements.count > 2 && elements[1].is(AssignmentExprSyntax.self)
        && !elements[2].is(NilLiteralExprSyntax.self)
    }
  }

  private func looksAgain(after place: SequenceExprSyntax) -> Bool {
    operation.tokens(viewMode: .sourceAccurate).contains {
      $0.position > place.position && $0.text.lowercased().contains("cancel")
    }
  }
}
