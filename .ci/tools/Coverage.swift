import Foundation

/// Counts the public symbols with a documentation comment.
struct Coverage {
  private struct Graph: Decodable {
    struct Symbol: Decodable {
      struct Kind: Decodable {
        let identifier: String
      }
      struct Location: Decodable {
        struct Position: Decodable {
          let line: Int
        }
        let uri: String
        let position: Position
      }
      struct Comment: Decodable {}

      let kind: Kind
      let pathComponents: [String]
      let docComment: Comment?
      let location: Location?
    }

    let symbols: [Symbol]
  }

  private let symbols: [Graph.Symbol]

  /// Reads the symbol graphs of a folder, which must not contain synthesized members.
  init(of folder: String) throws {
    symbols = try FileManager.default.contentsOfDirectory(atPath: folder)
      .filter { $0.hasSuffix(".symbols.json") }
      .flatMap { file in
        let graph = try Data(contentsOf: URL(filePath: "\(folder)/\(file)"))
        return try JSONDecoder().decode(Graph.self, from: graph).symbols
      }
      // Readers look up the members of an extension, not the extension.
      .filter { $0.kind.identifier != "swift.extension" }
  }

  func check() throws {
    let missing = symbols.filter { $0.docComment == nil }
    if !missing.isEmpty { throw Failure(missing.map(complaint).joined(separator: "\n")) }
    guard !symbols.isEmpty else { throw Failure("error: no symbols to count") }
    print("\(symbols.count) of \(symbols.count) public symbols are documented: 100 %")
  }

  private func complaint(about symbol: Graph.Symbol) -> String {
    let name = symbol.pathComponents.joined(separator: ".")
    let place = symbol.location.map {
      "\(URL(string: $0.uri)?.path() ?? $0.uri):\($0.position.line + 1): "
    }
    return "\(place ?? "")error: \(name) has no documentation comment"
  }
}
