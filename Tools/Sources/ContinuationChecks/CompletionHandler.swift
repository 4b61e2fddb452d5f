import SwiftSyntax

/// A function's parameter that by its name and position is called once.
struct CompletionHandler {
  private let function: FunctionDeclSyntax
  private let body: CodeBlockSyntax
  private let name: String

  init?(_ function: FunctionDeclSyntax) {
    let closures = function.signature.parameterClause.parameters.filter { Self.isClosure($0.type) }
    let types = function.ancestors.compactMap(\.typeName).map(Words.init)
    guard let body = function.body, let last = closures.last,
      function.signature.effectSpecifiers?.asyncSpecifier == nil,
      !Words(function.name.text).saysRepeatedly,
      Self.names.contains(Self.label(of: last).lowercased()),
      // Nobody waits for what may be left out. A stub, or an override, may do nothing.
      last.defaultValue == nil, last.type.trimmedDescription != "(() -> Void)?",
      !function.modifiers.contains(where: { $0.name.text == "override" }),
      !types.contains(where: \.saysFake)
    else { return nil }
    (self.function, self.body) = (function, body)
    name = (last.secondName ?? last.firstName).text
  }

  private static func label(of parameter: FunctionParameterSyntax) -> String {
    let isUnlabeled = parameter.firstName.text == "_"
    return (isUnlabeled ? parameter.secondName : parameter.firstName)?.text ?? ""
  }

  private static let names: Set = [
    "completion", "completionhandler", "completionblock", "completionclosure", "oncompletion",
    "oncomplete", "withcompletion", "withcompletionhandler", "withcompletionblock", "reply",
    "replyhandler", "withreply", "replyto", "completioncallback",
  ]

  private static func isClosure(_ type: TypeSyntax) -> Bool {
    let tuple = type.as(TupleTypeSyntax.self)?.elements
    if let inner = type.as(AttributedTypeSyntax.self)?.baseType
      ?? type.as(OptionalTypeSyntax.self)?.wrappedType
      ?? (tuple?.count == 1 ? tuple?.first?.type : nil)
    {
      return isClosure(inner)
    }
    if let type = type.as(FunctionTypeSyntax.self) { return type.returnClause.type.isVoid }
    // An alias, as `CompletionHandler`; not a value, as `Completion<Failure>`.
    guard let alias = type.as(IdentifierTypeSyntax.self), alias.genericArgumentClause == nil
    else { return false }
    return ["Completion", "Handler", "Callback", "Block"].contains { alias.name.text.hasSuffix($0) }
  }

  var findings: [Finding] {
    let obligation = Obligation(handler: name, names: [name], in: Syntax(function))
    // Without any use, it is a stub.
    guard obligation.isMentioned(in: body) else { return [] }
    // What the function returns may say as much as a call.
    let isVoid = function.signature.returnClause?.type.isVoid ?? true
    return obligation.checksInCallbacks(of: body)
      + Flow.findings(obligation, body.statements, end: body.rightBrace, isExcused: !isVoid)
  }
}

extension TypeSyntax {
  fileprivate var isVoid: Bool { ["Void", "()"].contains(trimmedDescription) }
}
