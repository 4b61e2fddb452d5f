/// A fenced block in a page or in a documentation comment.
struct CodeBlock {
  let file: String
  /// The number of its first line of code.
  let line: Int
  let language: String
  /// Its lines, without the indentation that they share.
  let lines: [String]
  /// Why it is not compiled, if a comment before it says so: `<!-- not compiled: reason -->`.
  let exemption: String?

  /// The blocks of a Markdown page.
  static func inPage(_ file: String, _ lines: [String]) -> [CodeBlock] {
    var blocks: [CodeBlock] = []
    var exemption: String?
    var open: (line: Int, language: String, lines: [String])?
    for (index, line) in lines.enumerated() {
      let text = line.trimmed
      if let block = open {
        if text == "```" {
          blocks.append(
            CodeBlock(
              file: file,
              line: block.line,
              language: block.language,
              lines: dedented(block.lines),
              exemption: exemption
            )
          )
          open = nil
          exemption = nil
        } else {
          open?.lines.append(line)
        }
      } else if text.hasPrefix("```") {
        open = (index + 2, String(text.dropFirst(3)), [])
      } else if let match = text.wholeMatch(of: /<!-- not compiled: (.+) -->/) {
        exemption = String(match.1)
      } else if !text.isEmpty {
        exemption = nil
      }
    }
    return blocks
  }

  /// The blocks in the `///` comments of a source file.
  static func inComments(_ file: String, _ lines: [String]) -> [CodeBlock] {
    let comments = lines.map { line in
      let text = line.trimmed
      return text.hasPrefix("///") ? String(text.dropFirst(text.hasPrefix("/// ") ? 4 : 3)) : ""
    }
    return inPage(file, comments)
  }
}

/// Lines without the indentation that all of them have, and without white space at their ends.
func dedented(_ lines: [String]) -> [String] {
  let indentation =
    lines
    .filter { !$0.trimmed.isEmpty }
    .map { $0.prefix { $0 == " " }.count }
    .min() ?? 0
  return lines.map { line in
    String(line.dropFirst(min(indentation, line.prefix { $0 == " " }.count))).trimmedEnd
  }
}

extension StringProtocol {
  var trimmed: String { String(trimmedEnd.drop { $0.isWhitespace }) }

  var trimmedEnd: String {
    var text = Substring(self)
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text)
  }
}
