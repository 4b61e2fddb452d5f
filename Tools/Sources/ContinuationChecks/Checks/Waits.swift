import SwiftSyntax

extension Kind {
  static let neverResumed = Kind("never-resumed")
  /// Only if an SDK brings neither a value nor an error, or in a test.
  static let maybeNeverResumed = Kind("maybe-never-resumed", isDebatable: true)
  static let resumedTwice = Kind("resumed-twice")
  /// A handler that no caller uses, or after something that does not fail.
  static let maybeResumedTwice = Kind("maybe-resumed-twice", isDebatable: true)
}

/// Continuations that are not resumed once. This library's neither hang nor crash.
enum Waits: Check {
  static let kinds = [Kind.neverResumed, .maybeNeverResumed, .resumedTwice]

  static func findings(in file: SourceFile) -> [Finding] {
    file.waits.flatMap { wait -> [Finding] in
      guard let operation = wait.operation, let obligation = wait.obligation, !wait.isOfLibrary
      else { return [] }
      return Flow.findings(obligation, operation.statements, end: operation.rightBrace)
    }
  }
}
