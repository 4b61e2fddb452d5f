import SwiftSyntax

/// A condition that asks only whether the parameters of a callback are there, as `let value` and
/// `error == nil` do.
struct Absence {
  /// What is nil, or false, where the condition holds.
  private(set) var inside: String?
  /// What is nil, or false, where it does not hold.
  private(set) var otherwise: String?

  init?(_ conditions: ConditionElementListSyntax) {
    let parameters = Set(conditions.ancestors.flatMap(\.parameterNames))
    // The value of a success: `data` of `.success(let data)`.
    let values = Set(conditions.ancestors.flatMap(\.caseNames))
    // What a condition beside them makes of the value is always made.
    let asking = conditions.filter { !$0.alwaysHolds }
    let questions = asking.compactMap(Question.init)
    guard !questions.isEmpty, questions.count == asking.count,
      questions.allSatisfy({ parameters.contains($0.root) || values.contains($0.name) })
    else { return nil }
    if questions.count == 1, questions[0].asksForNil {
      inside = questions[0].name
      // What is not false has succeeded.
      if questions[0].isFlag { otherwise = "error" }
    } else if !questions.contains(where: \.asksForNil) {
      // One of several is missing.
      otherwise = questions.map(\.name).sorted().joined(separator: " ")
      if questions.contains(where: \.isFlag) { inside = "error" }
    }
  }

  private struct Question {
    /// `error`, or `response.error`.
    let name: String
    let asksForNil: Bool
    /// A `Bool`, as `succeeded`.
    var isFlag = false
    var root: String { String(name.prefix { $0 != "." }) }

    init?(_ condition: ConditionElementSyntax) {
      switch condition.condition {
      case .optionalBinding:
        var value = condition.parts.value
        // Every error is one of these.
        if let cast = value?.as(SequenceExprSyntax.self)?.elements, cast.count == 3,
          cast.last?.trimmedDescription.hasPrefix("NSError") == true
        {
          value = cast.first
        }
        guard let value, let path = value.path else { return nil }
        (name, asksForNil) = (path, false)
      case .expression(let outer):
        // `(error == nil)`
        let value = outer.unwrapped.is(SequenceExprSyntax.self) ? outer.unwrapped : outer
        let parts = value.as(SequenceExprSyntax.self).map { Array($0.elements) } ?? []
        if parts.count == 3, let sign = parts[1].as(BinaryOperatorExprSyntax.self)?.operator.text,
          ["==", "!="].contains(sign), parts[2].is(NilLiteralExprSyntax.self),
          let name = parts[0].path
        {
          (self.name, asksForNil) = (name, sign == "==")
        } else if let name = value.name {
          (self.name, asksForNil) = (name, value.is(PrefixOperatorExprSyntax.self))
          isFlag = true
        } else {
          return nil
        }
      default: return nil
      }
    }
  }
}

extension ExprSyntax {
  /// A name, or members of it.
  fileprivate var path: String? {
    guard let member = unwrapped.as(MemberAccessExprSyntax.self) else { return name }
    return member.base.flatMap { $0.path }.map { $0 + "." + member.declName.baseName.text }
  }
}

extension ConditionElementListSyntax {
  var alwaysHold: Bool { allSatisfy(\.alwaysHolds) }
}

extension ConditionElementSyntax {
  /// The condition makes something that a program makes of what it knows: a URL, data of text, or
  /// text of data.
  fileprivate var alwaysHolds: Bool {
    guard condition.is(OptionalBindingConditionSyntax.self), let value = parts.value
    else { return false }
    if let cast = value.as(SequenceExprSyntax.self)?.elements.last?.as(TypeExprSyntax.self) {
      return castSucceeds(to: cast.type.trimmedDescription)
    }
    if let call = value.unwrapped.as(FunctionCallExprSyntax.self) { return call.alwaysSucceeds }
    // `(response as? HTTPURLResponse)?.statusCode`
    if value.trimmedDescription.contains("as? HTTPURLResponse)") { return true }
    let member = value.unwrapped.as(MemberAccessExprSyntax.self)
    return member?.declName.baseName.text == "url"
      && member?.base?.lastName.lowercased().contains("component") == true
  }
}

extension ConditionElementSyntax {
  /// An error of a framework, what an SDK was asked for by its type, or what a condition around
  /// this has found. What a server sends may be anything.
  private func castSucceeds(to type: String) -> Bool {
    let subject = parts.value?.as(SequenceExprSyntax.self)?.elements.first?.trimmedDescription ?? ""
    let isFound = ancestors.contains { node in
      node.as(IfExprSyntax.self)?.conditions.trimmedDescription == "\(subject) is \(type)"
    }
    let isOfFramework = type.wholeMatch(of: /[A-Z]{2}Error|HTTPURLResponse/) != nil
    return isFound || isOfFramework || type.contains("<") && !type.hasPrefix("[")
  }
}

extension FunctionCallExprSyntax {
  /// This fails only for a mistake elsewhere: for a text that is no URL, or a value that nothing
  /// can encode.
  var alwaysSucceeds: Bool {
    let made = ["URL", "URLComponents", "addingPercentEncoding", "encode"]
    switch callee {
    case "data": return ["using", "withJSONObject"].contains(arguments.first?.label?.text)
    case "String": return ["data", "bytes"].contains(arguments.first?.label?.text)
    default: return made.contains(callee)
    }
  }
}

extension Syntax {
  /// What a case of a `switch` names in its value.
  fileprivate var caseNames: [String] {
    let label = self.as(SwitchCaseSyntax.self)?.label.as(SwitchCaseLabelSyntax.self)
    return label?.all(IdentifierPatternSyntax.self).map(\.identifier.text) ?? []
  }

  /// Of a function or a closure.
  fileprivate var parameterNames: [String] {
    if let closure = self.as(ClosureExprSyntax.self) { return closure.parameterNames }
    let clause = self.as(FunctionDeclSyntax.self)?.signature.parameterClause
    return clause?.parameters.map { ($0.secondName ?? $0.firstName).text } ?? []
  }
}
