import SwiftSyntax

/// What has to be resumed or called once, and the names that it has at a place.
struct Obligation {
  let file: SourceFile
  /// The name of a completion handler, nil for a continuation.
  let handler: String?
  /// The handler may be called for each element of something, or for none.
  var isVisitor = false
  /// The handler is for successes only, as far as its type tells.
  var isForSuccess = false
  /// The handler is called with errors only: silence is its success.
  var isForFailure = false
  /// The function hears of an event, as `handleMessage`, which it may ignore.
  var isForEvent = false
  /// A caller may pass nil, so nothing depends on the call.
  var isOptional = false
  /// The function that takes the handler. Nil if the SDK calls it.
  var declaration: Declaration?
  /// The continuation traps if it is released without being resumed.
  let traps: Bool
  /// The continuation or the completion handler itself.
  var names: Set<String>
  /// Functions and handlers beside it: whoever is passed to one of these may answer there.
  var others: Set<String> = []
  /// What may be nil because it has been released. `self` is not, while its method waits.
  var weak: Set<String> = ["self"]
  /// What callbacks have brought: their parameters, and what is made of these.
  private(set) var brought: Set<String> = []
  /// What is assigned after it was declared: flags, slots, counters; and what is made of it.
  private(set) var variables: Set<String>

  init(
    handler: String? = nil,
    names: Set<String>,
    in function: Syntax,
    of file: SourceFile,
    traps: Bool = false
  ) {
    (self.file, self.handler, self.names, self.traps) = (file, handler, names, traps)
    variables = Set(file.assignments(in: function).map(\.target.lastName))
  }

  func isSubject(_ expression: some ExprSyntaxProtocol) -> Bool {
    expression.name.map(names.contains) ?? false
  }

  func isBrought(_ value: ExprSyntax) -> Bool {
    // The name of `if let name` stands nowhere else.
    if let name = value.name { return brought.contains(name) }
    // A closure in the value has a `$0` of its own.
    let hasClosure = !value.all(ClosureExprSyntax.self).isEmpty
    return file.refers(to: brought.filter { !hasClosure || !$0.hasPrefix("$") }, in: value)
  }

  func isMentioned(in node: some SyntaxProtocol) -> Bool {
    file.refers(to: names.union(others), in: node)
  }

  mutating func shadow(_ pattern: some SyntaxProtocol) {
    let shadowed = pattern.names
    names.subtract(shadowed)
    others.subtract(shadowed)
    brought.subtract(shadowed)
  }

  /// The case of a `switch` names what is in its value.
  mutating func bind(_ label: SwitchCaseLabelSyntax, to value: ExprSyntax) {
    let isBrought = isBrought(value)
    shadow(label)
    if isBrought { brought.formUnion(label.names) }
  }

  /// A callback with this closure has come, whose first parameter may tell nothing.
  mutating func hear(_ closure: ClosureExprSyntax, butFirst: Bool = false) {
    brought.formUnion(closure.parameterNames.dropFirst(butFirst ? 1 : 0))
  }

  mutating func hear(_ clause: CatchClauseSyntax) {
    shadow(clause.catchItems)
    brought.formUnion(clause.catchItems.isEmpty ? ["error"] : clause.catchItems.names)
  }

  mutating func enter(_ closure: ClosureExprSyntax) {
    names.subtract(closure.parameterNames)
    others.subtract(closure.parameterNames)
    addWeak(of: closure)
    for item in closure.signature?.capture?.items ?? [] {
      if let value = item.initializer?.value, isSubject(value) { names.insert(item.name.text) }
    }
  }

  mutating func addWeak(of closure: ClosureExprSyntax) {
    for item in closure.signature?.capture?.items ?? []
    where item.specifier?.specifier.text == "weak" {
      weak.insert(item.name.text)
    }
  }

  /// A call has taken a pointer to this variable.
  mutating func assign(_ name: String) { variables.insert(name) }

  /// A function may be called before the line that declares it.
  mutating func addFunctions(of items: CodeBlockItemListSyntax) {
    for item in items {
      guard let function = item.item.as(FunctionDeclSyntax.self), isMentioned(in: function)
      else { continue }
      others.insert(function.name.text)
    }
  }

  mutating func bind(_ pattern: PatternSyntax, to value: ExprSyntax) {
    let isBrought = isBrought(value)
    defer { if isBrought { brought.formUnion(pattern.names) } }
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

  /// Whether a caller depends on the call of the handler, or notices it.
  func depends(on topic: Question.Topic) -> Answer {
    declaration.map { .ask(Question(topic: topic, declaration: $0)) } ?? .yes()
  }

  /// "resumes", or what a completion handler wants.
  var verb: String { handler.map { "call `\($0)`" } ?? "resume" }

  /// What follows from a path that does nothing.
  var consequence: String {
    if let handler { return "nothing calls `\(handler)` then: its caller waits forever" }
    return "nothing resumes then: the " + (traps ? "program traps" : "task waits forever")
  }
}

extension SyntaxProtocol {
  /// The names that this pattern binds.
  fileprivate var names: [String] { all(IdentifierPatternSyntax.self).map(\.identifier.text) }
}
