import SwiftSyntax

/// A function or a property, as far as its callers know it.
struct Declaration: Hashable, Sendable {
  let name: String
  /// The name of the type around it.
  let type: String?
  /// Nil for a property.
  let parameters: [Parameter]?
  /// The parameter that is the completion handler.
  var handler: String?
  /// Code that is not here may call it.
  let isPublic: Bool
  /// An SDK may call it, as it calls what a protocol of its own requires.
  let mayBeRequired: Bool

  struct Parameter: Hashable, Sendable {
    let label: String?
    let name: String
    /// Its type is an alias, which may stand for any.
    let isAlias: Bool
    let takesResult: Bool
    let isClosure: Bool
    let mayBeOmitted: Bool
    /// Its type has a place for a failure, as far as the text tells.
    let mayFail: Bool
    /// Its type has none.
    let isForSuccess: Bool
  }

  private init(_ name: String, _ parameters: [Parameter]?, in node: some SyntaxProtocol) {
    (self.name, self.parameters) = (name, parameters)
    type = node.ancestors.lazy.compactMap(\.typeName).first
    isPublic = node.isPublic
    mayBeRequired = node.mayBeRequired
  }

  init(_ function: FunctionDeclSyntax) {
    let parameters = function.signature.parameterClause.parameters.map(Parameter.init)
    self.init(function.name.text, parameters, in: function)
  }

  /// What callers reach the node by. Nil in an initializer, a `deinit` or the main file.
  init?(around node: some SyntaxProtocol) {
    for node in node.ancestors {
      if let function = node.as(FunctionDeclSyntax.self) {
        self.init(function)
        return
      }
      if let property = node.as(PatternBindingSyntax.self), property.accessorBlock != nil {
        let variable = property.parent?.parent ?? node
        self.init(property.pattern.trimmedDescription, nil, in: variable)
        return
      }
      if node.is(InitializerDeclSyntax.self) || node.is(DeinitializerDeclSyntax.self) { return nil }
    }
    return nil
  }

  /// The arguments of a call, by the names of the parameters. Nil if the call is of another
  /// function with the same name.
  func arguments(of call: FunctionCallExprSyntax) -> [String: ExprSyntax]? {
    guard let parameters else { return nil }
    var found: [String: ExprSyntax] = [:]
    var rest = parameters[...]
    /// The parameters before it are left out.
    func take(_ value: ExprSyntax, where fits: (Parameter) -> Bool) -> Bool {
      while let parameter = rest.popFirst() {
        if fits(parameter) {
          found[parameter.name] = value
          return true
        }
        if !parameter.mayBeOmitted { return false }
      }
      return false
    }
    for argument in call.arguments {
      let label = argument.label?.text
      guard take(argument.expression, where: { $0.label == label }) else { return nil }
    }
    if let closure = call.trailingClosure {
      // One that may be left out is, if another follows.
      let isOnly = call.additionalTrailingClosures.isEmpty
      let required = rest.filter { $0.isClosure && !$0.mayBeOmitted }
      let target = isOnly && required.count == 1 ? required[0].name : nil
      let fits = { (parameter: Parameter) in
        target.map { $0 == parameter.name } ?? parameter.isClosure
      }
      guard take(ExprSyntax(closure), where: fits) else { return nil }
    }
    for element in call.additionalTrailingClosures {
      guard take(ExprSyntax(element.closure), where: { $0.label == element.label.text })
      else { return nil }
    }
    return rest.allSatisfy(\.mayBeOmitted) ? found : nil
  }
}

extension Declaration.Parameter {
  /// Both may have the same value. The other may be generic.
  func mayBe(_ other: Self) -> Bool {
    takesResult == other.takesResult || isAlias || other.isAlias
  }

  init(_ parameter: FunctionParameterSyntax) {
    let text = parameter.type.trimmedDescription
    label = parameter.firstName.text == "_" ? nil : parameter.firstName.text
    name = parameter.name
    isAlias = !text.contains("->")
    takesResult = text.contains("Result<")
    isClosure = parameter.isClosure || text.contains("->")
    mayBeOmitted = parameter.defaultValue != nil || parameter.ellipsis != nil
    isForSuccess = parameter.isForSuccess
    mayFail = isAlias || ["Error", "Result", "Bool"].contains(where: text.contains)
  }
}

extension SyntaxProtocol {
  /// A function, or a property with a body: callers reach what is in it by its name.
  var isReachedByName: Bool {
    isFunction || self.as(PatternBindingSyntax.self)?.accessorBlock != nil
  }

  /// The type around it says that it is a delegate, a provider or an extension.
  var mayBeRequired: Bool {
    let type = ancestors.lazy.compactMap { $0.asProtocol((any DeclGroupSyntax).self) }.first
    return type?.inheritanceClause?.identifiers.contains { Words($0).saysRequirements } == true
  }

  /// This declaration and the types around it are public.
  fileprivate var isPublic: Bool {
    let isExported = { (modifiers: DeclModifierListSyntax) in
      modifiers.contains { ["public", "open"].contains($0.name.text) }
    }
    let types = ancestors.compactMap { $0.asProtocol((any DeclGroupSyntax).self) }
    // A type that is extended may be declared elsewhere.
    let isInPublicExtension = types.first.map {
      Syntax($0).is(ExtensionDeclSyntax.self) && isExported($0.modifiers)
    }
    let own = asProtocol((any WithModifiersSyntax).self)?.modifiers
    return (own.map(isExported) == true || isInPublicExtension == true)
      && types.allSatisfy { Syntax($0).is(ExtensionDeclSyntax.self) || isExported($0.modifiers) }
  }
}
