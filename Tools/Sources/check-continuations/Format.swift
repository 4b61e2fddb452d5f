import ArgumentParser
import ContinuationChecks

/// How a finding is printed.
enum Format: String, ExpressibleByArgument, CaseIterable {
  /// As a compiler prints its warnings.
  case xcode
  /// As annotations in a pull request. Paths have to begin at the repository's root.
  case github

  func line(for finding: Finding, in path: String) -> String {
    switch self {
    case .xcode:
      "\(path):\(finding.line):\(finding.column): warning: \(finding.message) [\(finding.kind.name)]"
    case .github:
      "::warning file=\(escaped(path, ":,")),line=\(finding.line),col=\(finding.column),"
        + "title=\(finding.kind.name)::\(escaped(finding.message))"
    }
  }

  private func escaped(_ text: String, _ more: String = "") -> String {
    text.reduce(into: "") { result, character in
      let code = String(character.asciiValue ?? 0, radix: 16, uppercase: true)
      let hex = code.count < 2 ? "0" + code : code
      result += ("%\r\n" + more).contains(character) ? "%" + hex : String(character)
    }
  }
}
