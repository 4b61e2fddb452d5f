/// One small change that breaks the library, as `.ci/mutations.diff` has it.
///
/// The file is a diff without line numbers: `---` and the path of a source, then under `@@` and a name the lines
/// of each change. Together, the lines that begin with a space or a minus occur once in the source. A name that
/// ends with “with optimisation” is that of a change which only a release build shows.
struct Mutation {
  let name: String
  let file: String
  /// Where the list has it, for messages.
  let place: String
  private(set) var old: [String] = []
  private(set) var new: [String] = []

  var needsOptimisation: Bool { name.hasSuffix("with optimisation") }

  static func list(in path: String, _ lines: [String]) throws -> [Mutation] {
    var mutations: [Mutation] = []
    var file: String?
    for (index, line) in lines.enumerated() {
      let place = "\(path):\(index + 1)"
      let text = String(line.dropFirst())
      if line.hasPrefix("--- ") {
        file = line.dropFirst(4).trimmed
      } else if line.hasPrefix("@@ ") {
        guard let file else { throw Failure("\(place): error: no `---` names a file before this") }
        mutations.append(Mutation(name: line.dropFirst(3).trimmed, file: file, place: place))
      } else if line.trimmed.isEmpty || line.hasPrefix("#") {
        continue
      } else if let last = mutations.indices.last, let kind = line.first, " -+".contains(kind) {
        if kind != "+" { mutations[last].old.append(text) }
        if kind != "-" { mutations[last].new.append(text) }
      } else {
        throw Failure("\(place): error: a line of a change begins with a space, a minus or a plus")
      }
    }
    let names = mutations.map { $0.name.lowercased() }
    for (index, mutation) in mutations.enumerated() where names[..<index].contains(names[index]) {
      throw Failure("\(mutation.place): error: a second change of that name")
    }
    return mutations
  }

  /// The lines of its file with the change made.
  func applied(to lines: [String]) throws -> [String] {
    let starts = lines.indices.filter { lines[$0...].starts(with: old) }
    guard let start = starts.first, starts.count == 1, !old.isEmpty, old != new else {
      let reason =
        old.isEmpty || old == new ? "changes nothing" : "occurs \(starts.count) times in \(file)"
      throw Failure("\(place): error: “\(name)” \(reason)")
    }
    return lines[..<start] + new + lines[(start + old.count)...]
  }
}
