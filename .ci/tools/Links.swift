/// Follows the links of the pages as a repository browser does, and checks that DocC reaches the
/// same places.
struct Links {
  private let catalog = "Documentation.docc/"
  private let landingPage = "Documentation.docc/CooperativeCancellation.md"

  private let repository: Repository
  private let pages: [String: Page]

  init(_ repository: Repository) throws {
    self.repository = repository
    var pages: [String: Page] = [:]
    for file in repository.files where file.hasSuffix(".md") {
      pages[file] = Page(file, try repository.lines(of: file))
    }
    self.pages = pages
  }

  /// Fails if the file or the heading of a link does not exist, in either reading, or if the
  /// landing page leaves out a page.
  func check() throws {
    var count = 0
    var errors: [String] = []
    var listed: Set<String> = [landingPage]
    for page in pages.values.sorted(by: { $0.file < $1.file }) {
      for link in page.links {
        count += 1
        if page.file == landingPage { listed.insert(path(of: link, in: page)) }
        if let error = complaint(about: link, in: page) {
          errors.append("\(page.file):\(link.line): error: \(error)")
        }
      }
    }
    for page in pages.keys.sorted() where page.hasPrefix(catalog) && !listed.contains(page) {
      errors.append("\(page): error: the landing page has no link to it")
    }
    if !errors.isEmpty { throw Failure(errors.joined(separator: "\n")) }
    print("\(count) relative links in \(pages.count) pages, and each leads somewhere")
  }

  private func complaint(about link: Page.Link, in page: Page) -> String? {
    if link.isImage, link.text.trimmed.isEmpty { return "a picture without alternative text" }
    let path = path(of: link, in: page)
    guard repository.contains(path) else { return "there is no \(path)" }
    if let hash = link.target.firstIndex(of: "#") {
      let anchor = String(link.target[hash...].dropFirst())
      guard let headings = pages[path]?.headings else { return "#\(anchor) leads into no page" }
      if !headings.contains(anchor) {
        return "\(path) has no heading #\(anchor), but \(headings.joined(separator: ", "))"
      }
    }
    if link.isImage || !isInCatalog(page.file) { return nil }
    // DocC finds pages by name and headings by their words, and only inside the catalogs.
    let html = "<a href=\"\(link.target)\">…</a>"
    let docC = "doc:" + (link.target.split(separator: "/").last ?? "").replacing(".md", with: "")
    if !isInCatalog(path) {
      return link.docC == nil ? nil : "this is dead in DocC; write \(html)"
    }
    if link.docC.map(letters) == letters(docC) { return nil }
    return "this is dead in DocC; write [\(html)](\(docC)), with the capital letters of the heading"
  }

  /// `.ci/documentation` puts the pages of all catalogs together.
  private func isInCatalog(_ file: String) -> Bool { file.contains(".docc/") }

  /// The part of a heading's name that both share.
  private func letters(_ target: String) -> String {
    target.lowercased().filter { $0.isLetter || $0.isNumber }
  }

  /// The path, from the root, of a link's file.
  private func path(of link: Page.Link, in page: Page) -> String {
    let path = link.target.prefix { $0 != "#" }
    if path.isEmpty { return page.file }
    var parts = page.file.split(separator: "/").dropLast()
    for part in path.split(separator: "/") where part != "." {
      if part == ".." { _ = parts.popLast() } else { parts.append(part) }
    }
    return parts.joined(separator: "/")
  }
}
