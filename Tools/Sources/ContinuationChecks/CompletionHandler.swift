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
      let label = last.firstName.text == "_" ? last.secondName : last.firstName,
      ["completion", "oncomplete", "reply"].contains(where: label.text.lowercased().contains),
      !Words(function.name.text).saysRepeatedly,
      function.signature.effectSpecifiers?.asyncSpecifier == nil,
      // Nobody waits for what may be left out. A stub, or an override, may do nothing.
      last.defaultValue == nil, last.type.trimmedDescription != "(() -> Void)?",
      !function.modifiers.contains(where: { $0.name.text == "override" }),
      !types.contains(where: \.saysFake)
    else { return nil }
    (self.function, self.body) = (function, body)
    name = (last.secondName ?? last.firstName).text
  }

  /// A function that returns nothing, or an alias for one, as `CompletionHandler`.
  private static func isClosure(_ type: TypeSyntax) -> Bool {
    let words = type.trimmedDescription.split { "()?".contains($0) || $0.isWhitespace }
    if words.contains("->") { return ["->", "Void"].contains(words.last) }
    let suffixes = ["Completion", "Handler", "Callback", "Block"]
    return suffixes.contains { words.last?.hasSuffix($0) == true }
  }

  var findings: [Finding] {
    let obligation = Obligation(handler: name, names: [name], in: Syntax(function))
    // Without any use, it is a stub.
    guard obligation.isMentioned(in: body) else { return [] }
    // What the function returns may say as much as a call.
    let returns = function.signature.returnClause?.type.trimmedDescription ?? "Void"
    let isExcused = !["Void", "()"].contains(returns)
    return obligation.checksInCallbacks(of: body)
      + Flow.findings(obligation, body.statements, end: body.rightBrace, isExcused: isExcused)
  }
}
