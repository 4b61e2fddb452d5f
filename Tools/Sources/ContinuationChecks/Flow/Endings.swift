import SwiftSyntax

/// The calls after which no statement runs.
enum Endings {
  /// That these never return is known without their types.
  private static let never: Set = [
    "fatalError", "preconditionFailure", "exit", "abort", "dispatchMain", "NSApp.terminate",
  ]
  /// These end a program that is being developed, so what comes after them is no mistake.
  private static let inDebug: Set = ["assertionFailure", "XCTFail"]
  /// These end it if their condition is `false`.
  private static let conditional: Set = ["precondition", "assert"]

  static let names = never.union(inDebug).union(conditional).union(["NSApp"])

  enum Effect { case none, endless, excused }

  static func effect(of call: FunctionCallExprSyntax, in file: SourceFile) -> Effect {
    let name = call.callee
    let isFalse = call.arguments.first?.expression.trimmedDescription == "false"
    let text = call.calledExpression.text
    if never.contains(name) || never.contains(text) || file.endless.contains(name)
      || name == "precondition" && isFalse
    {
      return .endless
    }
    return inDebug.contains(name) || name == "assert" && isFalse ? .excused : .none
  }
}
