import Foundation

/// Follows the links of the pages, and writes those of the documentation as DocC wants them.
struct Links {
  private static let catalog = "Documentation.docc/"

  private let repository: Repository
  private let pages: [String: Page]

  init(_ repository: Repository) throws {
    self.repository = repository
    var pages: [String: Page] = [:]
    for file in repository.files(ending: ".md") {
      pages[file] = Page(file, try repository.lines(of: file))
    }
    self.pages = pages
  }

  /// Fails if a link leads nowhere: to no file, or to no heading of a page.
  func check() throws {
    var count = 0
    var errors: [String] = []
    for page in pages.values.sorted(by: { $0.file < $1.file }) {
      for link in page.links {
        count += 1
        if let error = complaint(about: link, in: page) {
          errors.append("\(page.file):\(link.line): error: \(error)")
        }
      }
    }
    if !errors.isEmpty { throw Failure(errors.joined(separator: "\n")) }
    print("\(count) relative links in \(pages.count) pages, and each leads somewhere")
  }

  private func complaint(about link: Page.Link, in page: Page) -> String? {
    if link.isImage, link.text.trimmed.isEmpty { return "a picture without alternative text" }
    let target = target(of: link, in: page)
    guard repository.contains(target) else { return "there is no \(target)" }
    guard let anchor = link.anchor else { return nil }
    guard let headings = pages[target]?.headings else { return "#\(anchor) leads into no page" }
    if headings.contains(where: { $0.slug == anchor }) { return nil }
    let slugs = headings.map(\.slug).joined(separator: ", ")
    return "\(target) has no heading #\(anchor), but \(slugs)"
  }

  /// The path, from the root, of the file that a link leads to.
  private func target(of link: Page.Link, in page: Page) -> String {
    if link.path.isEmpty { return page.file }
    var parts = page.file.split(separator: "/").dropLast()
    for part in link.path.split(separator: "/") where part != "." {
      if part == ".." { _ = parts.popLast() } else { parts.append(part) }
    }
    return parts.joined(separator: "/")
  }

  /// Copies the catalogue for DocC, which knows its pages by name and its headings by their text.
  ///
  /// A link out of the catalogue has nowhere to lead there: its text is left.
  func writeForDocC(to folder: String) throws {
    let files = FileManager.default
    try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for file in repository.files(in: [Links.catalog], ending: "") {
      let copy = "\(folder)/\(file.dropFirst(Links.catalog.count))"
      if let page = pages[file] {
        try forDocC(page).write(toFile: copy, atomically: true, encoding: .utf8)
      } else {
        try files.copyItem(atPath: file, toPath: copy)
      }
    }
  }

  private func forDocC(_ page: Page) -> String {
    var lines = page.lines
    // From the last to the first, so that the ranges of those before stay true.
    for link in page.links.reversed() where !link.isImage {
      let file = target(of: link, in: page)
      lines[link.line - 1].replaceSubrange(link.range, with: forDocC(link, to: file))
    }
    return lines.joined(separator: "\n")
  }

  private func forDocC(_ link: Page.Link, to file: String) -> String {
    guard file.hasPrefix(Links.catalog), file.hasSuffix(".md") else { return link.text }
    let page = file.dropFirst(Links.catalog.count).dropLast(".md".count)
    guard let anchor = link.anchor else { return "[\(link.text)](doc:\(page))" }
    let heading = pages[file]?.headings.first { $0.slug == anchor }
    return "[\(link.text)](doc:\(page)#\(heading?.docCAnchor ?? anchor))"
  }
}
