/// Holds every Swift block of the documentation against code that is compiled.
struct CodeBlocks {
  /// Code that CI compiles; `Tests/Diagnostics` is mistakes.
  static func isCompiled(_ file: String) -> Bool {
    file.hasSuffix(".swift") && !file.hasPrefix("Tests/Diagnostics/")
      && ["Snippets/", "Tests/", "Examples/", "Sources/Tour/"].contains { file.hasPrefix($0) }
  }

  private let blocks: [CodeBlock]
  private let sources: [(file: String, lines: [String])]

  init(_ repository: Repository) throws {
    blocks =
      try repository.files(ending: ".md").flatMap {
        CodeBlock.inPage($0, try repository.lines(of: $0))
      }
      + repository.files(in: ["Sources/"], ending: ".swift").flatMap {
        CodeBlock.inComments($0, try repository.lines(of: $0))
      }
    sources = try repository.files.filter(CodeBlocks.isCompiled).map {
      ($0, try repository.lines(of: $0).map(\.trimmedEnd))
    }
  }

  func check() throws {
    // Those of the issue templates are empty.
    let swift = blocks.filter { $0.language == "swift" && $0.lines.contains { !$0.isEmpty } }
    let exempt = swift.filter { $0.exemption != nil }
    let compiled = swift.filter { $0.exemption == nil }
    let errors = compiled.compactMap(complaint)
    for block in exempt {
      print("\(block.file):\(block.line): not compiled: \(block.exemption ?? "")")
    }
    print(
      """
      \(compiled.count - errors.count) of \(compiled.count) Swift blocks are code that is compiled; \
      \(exempt.count) say why they are not
      """
    )
    if !errors.isEmpty { throw Failure(errors.joined(separator: "\n")) }
  }

  /// Nothing if the block's lines stand together in a source; otherwise where they nearly do.
  private func complaint(about block: CodeBlock) -> String? {
    var nearest: (source: (file: String, lines: [String]), start: Int, equal: Int)?
    for source in sources {
      for start in source.lines.indices {
        if stands(block, in: source.lines, from: start) { return nil }
        let equal = zip(block.lines, source.lines[start...]).count { isSameCode($0, $1) }
        if equal > nearest?.equal ?? 0 { nearest = (source, start, equal) }
      }
    }
    let error = "\(block.file):\(block.line): error: this block is not code that is compiled"
    guard let (source, start, _) = nearest else { return error + "; no source has a line of it" }
    let difference =
      zip(block.lines, source.lines[start...]).enumerated()
      .first { $1.0.trimmed != $1.1.trimmed }?.offset ?? 0
    return """
      \(error); nearly:
        \(block.file):\(block.line + difference): \(block.lines[difference].trimmed)
        \(source.file):\(start + difference + 1): \(source.lines[start + difference].trimmed)
      """
  }

  /// Whether a block's lines stand in a source from `start`, all of them indented alike.
  private func stands(_ block: CodeBlock, in source: [String], from start: Int) -> Bool {
    guard let first = block.lines.first, source.count - start >= block.lines.count,
      source[start].hasSuffix(first)
    else { return false }
    let indentation = source[start].dropLast(first.count)
    return indentation.allSatisfy { $0 == " " }
      && zip(block.lines, source[start...]).allSatisfy { line, there in
        there == (line.isEmpty ? "" : indentation + line)
      }
  }

  /// Whether two lines count as alike in the search for the nearest place: blank ones and braces do not.
  private func isSameCode(_ line: String, _ other: String) -> Bool {
    let text = line.trimmed
    return text.count > 2 && other.hasSuffix(text) && text == other.trimmed
  }
}
