import SwiftSyntax

/// What has to be resumed or called once, and the names that it has at a place.
struct Obligation {
  /// The name of a completion handler, nil for a continuation.
  let handler: String?
  /// The handler may be called for each element of something, or for none.
  var isVisitor = false
  /// The continuation or the completion handler itself.
  var names: Set<String>
  /// What may be nil because it has been released. `self` is not, while its method waits.
  var weak: Set<String> = ["self"]
  /// What is assigned after it was declared: flags, slots, counters; and what is made of it.
  private(set) var variables: Set<String>

  init(handler: String? = nil, names: Set<String>, in function: Syntax) {
    (self.handler, self.names) = (handler, names)
    variables = Set(function.assignments.map(\.target.lastName))
  }

  func isSubject(_ expression: some ExprSyntaxProtocol) -> Bool {
    expression.name.map(names.contains) ?? false
  }

  /// A reference, not a member of something else that has the same name.
  func isMentioned(in node: some SyntaxProtocol) -> Bool {
    node.tokens(viewMode: .sourceAccurate).contains { token in
      guard names.contains(token.text) else { return false }
      if let reference = token.parent?.as(DeclReferenceExprSyntax.self) {
        return reference.parent?.as(MemberAccessExprSyntax.self)?.declName.id != reference.id
      }
      let binding = token.parent?.parent?.as(OptionalBindingConditionSyntax.self)
      return binding.map { $0.initializer == nil } ?? false
    }
  }

  mutating func shadow(_ pattern: some SyntaxProtocol) {
    names.subtract(pattern.all(IdentifierPatternSyntax.self).map(\.identifier.text))
  }

  mutating func enter(_ closure: ClosureExprSyntax) {
    names.subtract(closure.parameterNames)
    for item in closure.signature?.capture?.items ?? [] {
      if item.specifier?.specifier.text == "weak" { weak.insert(item.name.text) }
      if let value = item.initializer?.value, isSubject(value) { names.insert(item.name.text) }
    }
  }

  mutating func bind(_ pattern: PatternSyntax, to value: ExprSyntax) {
    guard let name = pattern.as(IdentifierPatternSyntax.self)?.identifier.text
    else { return shadow(pattern) }
    if isSubject(value) {
      names.insert(name)
    } else {
      if !isMentioned(in: value) { shadow(pattern) }
      if value.name == "self" { weak.insert(name) }
      if Decision(value, for: self).isExcused { variables.insert(name) }
    }
  }

  /// The checks for cancellation in closures that no task runs, but that resume one.
  func checksInCallbacks(of node: some SyntaxProtocol) -> [Finding] {
    node.all(MemberAccessExprSyntax.self).compactMap { check in
      guard ["isCancelled", "checkCancellation"].contains(check.declName.baseName.text),
        let base = check.base, base.lastName == "Task", !base.is(FunctionCallExprSyntax.self)
      else { return nil }
      for node in check.ancestors.prefix(while: { $0.id != node.id && !$0.isFunction }) {
        guard let closure = node.as(ClosureExprSyntax.self) else { continue }
        let isAsync = closure.signature?.effectSpecifiers?.asyncSpecifier != nil
        if isAsync || closure.isTask || !closure.all(AwaitExprSyntax.self).isEmpty { return nil }
        let isAtOnce = closure.call.map { Words($0.callee).saysAtOnce } ?? false
        guard !isAtOnce, isMentioned(in: closure) else { continue }
        let message = "no task runs this callback, so this never sees a cancellation: remove it"
        return Finding(.cancellationCheckInCallback, at: check.start, message)
      }
      return nil
    }
  }
}
