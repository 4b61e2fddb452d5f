import SwiftSyntax

extension FunctionDeclSyntax {
  /// What is wrong with a parameter that by its name and position is called once.
  var completionHandlerFindings: [Finding] {
    let closures = signature.parameterClause.parameters.filter(\.isClosure)
    let types = ancestors.compactMap(\.typeName).map(Words.init)
    let starts = ["completion", "oncomplet", "withcompletion", "reply", "withreply"]
    guard let body, let last = closures.last,
      let label = last.firstName.text == "_" ? last.secondName : last.firstName,
      starts.contains(where: label.text.lowercased().hasPrefix),
      !Words(name.text).saysRepeatedly, signature.effectSpecifiers?.asyncSpecifier == nil,
      // Nobody waits for what may be left out. A stub, or an override, may do nothing.
      last.defaultValue == nil,
      !last.type.trimmedDescription.contains(/(^\w+|\(\) -> .*)\?$|throws/),
      !modifiers.contains(where: { $0.name.text == "override" }), !types.contains(where: \.saysFake)
    else { return [] }
    let handler = (last.secondName ?? last.firstName).text
    var obligation = Obligation(handler: handler, names: [handler], in: Syntax(self))
    obligation.isVisitor = !last.type.trimmedDescription.contains(/@escaping|\?$|^\w+$/)
    guard obligation.isMentioned(in: body) else { return [] }
    // What the function returns may say as much as a call.
    let returns = signature.returnClause?.type.trimmedDescription ?? "Void"
    let start = Path(isExcused: !["Void", "()"].contains(returns))
    return obligation.checksInCallbacks(of: body)
      + Flow.findings(obligation, body.statements, end: body.rightBrace, start)
  }
}

extension FunctionParameterSyntax {
  /// A function that returns nothing, or an alias for one, as `CompletionHandler`.
  fileprivate var isClosure: Bool {
    let words = type.trimmedDescription.split { "()?".contains($0) || $0.isWhitespace }
    if words.contains("->") { return ["->", "Void"].contains(words.last) }
    let suffixes = ["Completion", "Handler", "Callback", "Block"]
    return suffixes.contains { words.last?.hasSuffix($0) == true }
  }
}
