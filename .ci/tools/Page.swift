/// A Markdown page: its headings and its links.
struct Page {
  struct Heading {
    /// What a repository browser makes of it for links: `closures-of-your-own`.
    let slug: String
    /// What DocC makes of it: `Closures-of-your-own`.
    let docCAnchor: String
  }

  struct Link {
    let line: Int
    let isImage: Bool
    let text: String
    /// The path as it is written; empty for a link into the same page.
    let path: String
    let anchor: String?
    let range: Range<String.Index>
  }

  let file: String
  let lines: [String]
  let headings: [Heading]
  let links: [Link]

  init(_ file: String, _ lines: [String]) {
    self.file = file
    self.lines = lines
    var headings: [Heading] = []
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

  /// The rule of GitHub: small letters, nothing but letters, digits, hyphens and underscores, a hyphen for
  /// each space, and a number for a heading that is there already.
  private static func heading(_ markdown: String, counting slugs: inout [String: Int]) -> Heading {
    let text = markdown.replacing(/\[([^\]]*)\]\([^)]*\)/) { $0.1 }
    let kept = text.filter { $0.isLetter || $0.isNumber || " -_".contains($0) }
    let slug = kept.lowercased().replacing(" ", with: "-")
    let before = slugs[slug, default: 0]
    slugs[slug] = before + 1
    return Heading(
      slug: before == 0 ? slug : "\(slug)-\(before)",
      docCAnchor: kept.replacing(" ", with: "-")
    )
  }

  private static func links(in line: String, number: Int) -> [Link] {
    line.matches(of: /(`+)[^`]*\1|(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]*)\)/)
      .compactMap { match in
        guard let target = match.output.4, let text = match.output.3 else { return nil }
        guard !target.contains(/^[a-z]+:/) else { return nil }
        let parts = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        return Link(
          line: number,
          isImage: match.output.2 == "!",
          text: String(text),
          path: String(parts[0]),
          anchor: parts.count > 1 ? String(parts[1]) : nil,
          range: match.range
        )
      }
  }
}
