import SwiftSyntax

extension Kind {
  static let neverCalled = Kind("never-called")
  /// The receiver may be gone, the failure is shown where it happens, or the SDK brings nothing.
  static let maybeNeverCalled = Kind("maybe-never-called", isDebatable: true)
}

/// Completion handlers that are not called once.
enum CompletionHandlers: Check {
  static let kinds = [Kind.neverCalled, .maybeNeverCalled, .resumedTwice, .maybeResumedTwice]

  static func findings(in file: SourceFile) -> [Finding] {
    let all = file.completionHandlers.map { function, body, obligation in
      // What the function returns may say as much as a call.
      let returns = function.signature.returnClause?.type.trimmedDescription ?? "Void"
      let start = Path(isExcused: !["Void", "()"].contains(returns))
      return Flow.findings(obligation, body.statements, end: body.rightBrace, start)
    }
    let counts = all.flatMap { Set($0.filter { $0.kind == .neverCalled }.map(\.message)) }
      .reduce(into: [:]) { $0[$1, default: 0] += 1 }
    return all.joined().map { finding in
      counts[finding.message, default: 0] <= maximumAlike ? finding : finding.depending(on: .no)
    }
  }

  /// What more functions of a file than this do is how they are written, and no slip. In the code
  /// of others, nine and 17 such functions were a design, and seven and fewer had mistakes.
  private static let maximumAlike = 7
}

extension FunctionDeclSyntax {
  private static let starts = ["completion", "oncomplet", "withcompletion", "reply", "withreply"]

  /// The parameter that by its name and position is called once.
  func completionHandler(in file: SourceFile) -> Obligation? {
    // An array, because a list of syntax would copy the whole file.
    let closures = Array(signature.parameterClause.parameters).filter(\.isClosure)
    guard let body, let last = closures.last,
      let label = last.firstName.text == "_" ? last.secondName : last.firstName,
      Self.starts.contains(where: label.text.lowercased().hasPrefix),
      !Words(name.text).saysEvents, signature.effectSpecifiers?.asyncSpecifier == nil,
      // No caller waits for a handler that may be omitted. A stub or an override may do nothing.
      last.defaultValue == nil, !last.mayBeLeftOut,
      !modifiers.contains(where: { $0.name.text == "override" }),
      !isInFake, !body.calls(last.name, inARow: 2), !body.callsInLoop(last.name),
      file.refers(to: [last.name], in: body)
    else { return nil }
    let handler = last.name
    var obligation = Obligation(handler: handler, names: [handler], in: Syntax(self), of: file)
    obligation.isVisitor = last.isVisitor
    obligation.isForSuccess = last.isForSuccess && !isOfSDK
    obligation.isForFailure = onlyFails(last, body)
    obligation.isOptional = last.type.is(OptionalTypeSyntax.self)
    obligation.isForEvent = name.text.hasPrefix("handle") && !isOfSDK
    if !isOfSDK {
      obligation.declaration = Declaration(self)
      obligation.declaration?.handler = handler
    }
    obligation.others = Set(closures.dropLast().map(\.name))
      .union(signature.parameterClause.parameters.map(\.name).filter(Words.namesHandler))
      .subtracting([handler])
    return obligation
  }

  /// A delegate's method, as `webView(_:decidePolicyFor:completionHandler:)`, whose SDK waits.
  private var isOfSDK: Bool {
    let parameters = signature.parameterClause.parameters
    return parameters.count > 1 && parameters.first?.firstName.text == "_"
      && parameters.last?.firstName.text.lowercased().hasSuffix("completionhandler") == true
  }

  /// The handler is called with errors only, so that silence is success.
  private func onlyFails(_ handler: FunctionParameterSyntax, _ body: CodeBlockSyntax) -> Bool {
    let text = handler.type.trimmedDescription
    let isError = ["(Error?)", "(any Error)?)", "(String?)"].contains(where: text.contains)
    guard let values = values(of: handler, in: body) else { return false }
    return values.allSatisfy { value in
      isError
        ? value.hasPrefix("\"") || isUnwrapped(value, in: body)
        : value.hasPrefix(".fail") || value.hasPrefix(".error(")
    }
  }

  /// The handler is called with `true` first, and not at all after a failure.
  var onlySucceeds: Bool {
    guard let body, let handler = signature.parameterClause.parameters.last, handler.isClosure,
      let values = values(of: handler, in: body)
    else { return false }
    return !values.isEmpty && values.allSatisfy { $0 == "true" }
  }

  /// What comes first in each call of the handler. Nil if it is passed on, since it may then be
  /// called with anything.
  private func values(of handler: FunctionParameterSyntax, in body: CodeBlockSyntax) -> [String]? {
    let values = body.all(FunctionCallExprSyntax.self)
      .filter { $0.calledExpression.name == handler.name }
      .map { $0.arguments.first?.expression.text ?? "" }
    let uses = body.all(DeclReferenceExprSyntax.self).count { $0.baseName.text == handler.name }
    return uses > values.count ? nil : values
  }

  /// `error` after `if let error` or in a `catch`.
  private func isUnwrapped(_ value: String, in body: CodeBlockSyntax) -> Bool {
    value == "error"
      && body.all(ClosureExprSyntax.self).allSatisfy { closure in
        !closure.parameterNames.contains(value)
          || closure.all(OptionalBindingConditionSyntax.self).contains {
            $0.pattern.trimmedDescription == value
          }
      }
  }
}

extension CodeBlockSyntax {
  /// For each element of something, and goes on with the next.
  fileprivate func callsInLoop(_ handler: String) -> Bool {
    all(FunctionCallExprSyntax.self).contains { call in
      guard call.calledExpression.name == handler else { return false }
      let around = call.ancestors.prefix { !$0.isFunction }
      let loop = around.first { [.forStmt, .whileStmt, .repeatStmt].contains($0.kind) }
      let leaves = around.prefix { $0.id != loop?.id }.contains { node in
        node.as(CodeBlockItemListSyntax.self)?.last?.item.is(ReturnStmtSyntax.self) == true
          || node.as(CodeBlockItemListSyntax.self)?.last?.item.is(BreakStmtSyntax.self) == true
          || node.is(ReturnStmtSyntax.self)
      }
      return loop != nil && !leaves
    }
  }

  /// Two calls that follow each other are not a forgotten `return`: they report events.
  fileprivate func calls(_ handler: String, inARow count: Int) -> Bool {
    all(CodeBlockItemListSyntax.self).contains { items in
      items.split { $0.item.as(FunctionCallExprSyntax.self)?.calledExpression.name != handler }
        .contains { $0.count >= count }
    }
  }
}

extension FunctionParameterSyntax {
  var name: String { (secondName ?? firstName).text }

  /// A function that returns nothing, or an alias for one, as `CompletionHandler`.
  var isClosure: Bool {
    let words = type.trimmedDescription.split { "()?".contains($0) || $0.isWhitespace }
    if words.contains("->") { return ["->", "Void"].contains(words.last) }
    let suffixes = ["Completion", "Handler", "Callback", "Block"]
    return suffixes.contains { words.last?.hasSuffix($0) == true }
  }

  private var isAlias: Bool { type.is(IdentifierTypeSyntax.self) }

  /// `Completion?`, `(() -> Void)?`, or a handler that throws.
  fileprivate var mayBeLeftOut: Bool {
    let text = type.trimmedDescription
    let wrapped = type.as(OptionalTypeSyntax.self)?.wrappedType
    return wrapped?.is(IdentifierTypeSyntax.self) == true
      || wrapped?.is(MemberTypeSyntax.self) == true
      || wrapped != nil && text.contains("() -> ") || text.contains("throws")
  }

  /// What does not escape may be called for each element of something.
  fileprivate var isVisitor: Bool {
    !isAlias && !type.is(OptionalTypeSyntax.self) && !type.trimmedDescription.contains("@escaping")
  }

  /// Its type has no place for a failure.
  var isForSuccess: Bool {
    let text = type.trimmedDescription
    // As an alias, `VoidCompletion`.
    guard let arrow = text.firstRange(of: "->") else { return text.lowercased().contains("void") }
    let failures = ["?", "Error", "Result", "Bool", "Status", "Response", "Outcome"]
    return !failures.contains(where: text[..<arrow.lowerBound].contains)
  }
}
