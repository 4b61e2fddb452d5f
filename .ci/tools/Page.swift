/// A Markdown page: its headings and its links.
struct Page {
  struct Link {
    let line: Int
    let isImage: Bool
    let text: String
    /// The target for a repository browser: a path, a heading's name after `#`, or both.
    let target: String
    /// The target for DocC: in brackets, if there is one.
    let docC: String?
  }

  let file: String
  /// The link names of its headings in a repository browser: `closures-of-your-own`.
  let headings: [String]
  let links: [Link]

  init(_ file: String, _ lines: [String]) {
    self.file = file
    var headings: [String] = []
    var links: [Link] = []
    var slugs: [String: Int] = [:]
    var isCode = false
    for (index, line) in lines.enumerated() {
      if line.trimmed.hasPrefix("```") {
        isCode.toggle()
        continue
      }
      if isCode { continue }
      if let match = line.wholeMatch(of: /#{1,6} +(.+)/) {
        headings.append(Page.heading(String(match.1), counting: &slugs))
      }
      links += Page.links(in: line, number: index + 1)
    }
    self.headings = headings
    self.links = links
  }

  /// GitHub's rule: lowercase letters, digits, hyphens and underscores only, a hyphen for each
  /// space, and a number for a repeated heading.
  private static func heading(_ markdown: String, counting slugs: inout [String: Int]) -> String {
    let text = markdown.replacing(/\[([^\]]*)\]\([^)]*\)/) { $0.1 }
    let kept = text.filter { $0.isLetter || $0.isNumber || " -_".contains($0) }
    let slug = kept.lowercased().replacing(" ", with: "-")
    let before = slugs[slug, default: 0]
    slugs[slug] = before + 1
    return before == 0 ? slug : "\(slug)-\(before)"
  }

  /// `[text](target)`, `<a href="target">text</a>`, or the second inside the first.
  private static func links(in line: String, number: Int) -> [Link] {
    let link =
      /(`+)[^`]*\1|(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]*)\)|<a href="([^"]*)">|<(doc:.*?)>/
    return line.matches(of: link).compactMap { match in
      let (_, _, mark, text, inBrackets, html, automatic) = match.output
      let docC = inBrackets ?? automatic
      let target = html ?? text?.firstMatch(of: /<a href="([^"]*)">/)?.1 ?? docC
      guard let target, !target.contains(/^(https?|mailto):/) else { return nil }
      return Link(
        line: number,
        isImage: mark == "!",
        text: String(text ?? ""),
        target: String(target),
        docC: docC.map(String.init)
      )
    }
  }
}
