import SwiftSyntax

/// What has to be resumed or called once, and the names that it has where the flow is.
struct Obligation {
  enum Form {
    case continuation
    case completionHandler(String)
  }

  let form: Form
  /// The continuation or the completion handler itself.
  var names: Set<String>
  /// Local functions and closures that use it.
  var helpers: Set<String> = []
  /// Captured weakly: what is nil has been released, and `self` is not while its method waits.
  var weak: Set<String> = ["self"]
  /// What a local constant was made of.
  var origins: [String: Set<String>] = [:]
  /// What is assigned after it was declared: flags, slots, counters.
  let variables: Set<String>

  init(form: Form, names: Set<String>, in function: Syntax) {
    self.form = form
    self.names = names
    variables = Self.assigned(in: function)
  }

  private static func assigned(in function: Syntax) -> Set<String> {
    var names: Set<String> = []
    for sequence in function.all(SequenceExprSyntax.self) {
      let elements = Array(sequence.elements)
      guard elements.count > 2 else { continue }
      let isCompound = elements[1].as(BinaryOperatorExprSyntax.self).map {
        let text = $0.operator.text
        return text.hasSuffix("=") && !["==", "!=", "<=", ">=", "===", "!=="].contains(text)
      }
      if elements[1].is(AssignmentExprSyntax.self) || isCompound == true {
        names.insert(elements[0].lastName)
      }
    }
    return names.subtracting(["", "_"])
  }

  func isSubject(_ expression: some ExprSyntaxProtocol) -> Bool {
    expression.unwrapped.as(DeclReferenceExprSyntax.self)
      .map { names.contains($0.baseName.text) } ?? false
  }

  func isHelper(_ expression: some ExprSyntaxProtocol) -> Bool {
    expression.unwrapped.as(DeclReferenceExprSyntax.self)
      .map { helpers.contains($0.baseName.text) } ?? false
  }

  /// A reference, not a member of something else that has the same name.
  func isMentioned(in node: some SyntaxProtocol) -> Bool {
    node.tokens(viewMode: .sourceAccurate).contains { token in
      guard names.contains(token.text) || helpers.contains(token.text) else { return false }
      if let reference = token.parent?.as(DeclReferenceExprSyntax.self) {
        let member = reference.parent?.as(MemberAccessExprSyntax.self)
        return member?.declName.id != reference.id
      }
      let binding = token.parent?.parent?.as(OptionalBindingConditionSyntax.self)
      return binding.map { $0.initializer == nil } ?? false
    }
  }

  mutating func shadow(_ pattern: some SyntaxProtocol) {
    for name in pattern.all(IdentifierPatternSyntax.self).map(\.identifier.text) {
      names.remove(name)
      helpers.remove(name)
    }
  }

  mutating func enter(_ closure: ClosureExprSyntax) {
    for item in closure.signature?.capture?.items ?? [] {
      if item.specifier?.specifier.text == "weak" { weak.insert(item.name.text) }
      if let value = item.initializer?.value, isSubject(value) { names.insert(item.name.text) }
    }
    names.subtract(closure.parameterNames)
    helpers.subtract(closure.parameterNames)
  }

  /// The end of a message.
  var consequence: String {
    switch form {
    case .continuation: "nothing resumes then: the task waits forever"
    case .completionHandler(let name): "nothing calls `\(name)` then: the caller waits forever"
    }
  }

  var missing: Kind {
    switch form {
    case .continuation: .neverResumed
    case .completionHandler: .neverCalled
    }
  }

  var twice: String {
    switch form {
    case .continuation:
      "a path that has resumed the continuation resumes it again here, which crashes"
    case .completionHandler(let name):
      "a path that has called `\(name)` calls it again here"
    }
  }
}
