import SwiftSyntax

/// A function's parameter that by its name and position is called once.
struct CompletionHandler {
  private let function: FunctionDeclSyntax
  private let body: CodeBlockSyntax
  private let parameter: FunctionParameterSyntax

  init?(_ function: FunctionDeclSyntax) {
    guard let body = function.body,
      function.signature.effectSpecifiers?.asyncSpecifier == nil,
      let parameter = function.signature.parameterClause.parameters.last(where: {
        Self.isCompletionHandler($0.type)
      }),
      Self.names.contains(parameter.firstName.text.lowercased())
        || Self.names.contains((parameter.secondName ?? parameter.firstName).text.lowercased()),
      !Words(function.name.text).saysRepeatedly
    else { return nil }
    (self.function, self.body, self.parameter) = (function, body, parameter)
  }

  private static let names: Set = [
    "completion", "completionhandler", "completionblock", "completionclosure", "oncompletion",
    "oncomplete", "withcompletion", "withcompletionhandler", "withcompletionblock", "reply",
    "replyhandler", "withreply", "replyto", "completioncallback",
  ]

  private static func isCompletionHandler(_ type: TypeSyntax) -> Bool {
    if let type = type.as(AttributedTypeSyntax.self) { return isCompletionHandler(type.baseType) }
    if let type = type.as(OptionalTypeSyntax.self) { return isCompletionHandler(type.wrappedType) }
    if let type = type.as(TupleTypeSyntax.self), type.elements.count == 1,
      let only = type.elements.first
    {
      return isCompletionHandler(only.type)
    }
    if let type = type.as(FunctionTypeSyntax.self) {
      return ["Void", "()"].contains(type.returnClause.type.trimmedDescription)
    }
    // An alias, as `CompletionHandler`; not a value, as `Completion<Failure>`.
    guard let alias = type.as(IdentifierTypeSyntax.self), alias.genericArgumentClause == nil
    else { return false }
    return ["Completion", "Handler", "Callback", "Block"].contains { alias.name.text.hasSuffix($0) }
  }

  var mistakes: [Mistake] {
    let name = (parameter.secondName ?? parameter.firstName).text
    let obligation = Obligation(
      form: .completionHandler(name),
      names: [name],
      in: Syntax(function)
    )
    // Without any use, it is a stub.
    guard obligation.isMentioned(in: body) else { return [] }
    var flow = Flow(obligation)
    let end = flow.run(body.statements, .begin)
    // What the function returns or throws may say the same.
    let result = function.signature.returnClause?.type.trimmedDescription ?? "Void"
    flow.judge(
      end,
      endingAt: body.rightBrace,
      isTask: false,
      judgesEnds: ["Void", "()"].contains(result)
    )
    return flow.mistakes
  }
}
