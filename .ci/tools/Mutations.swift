import Foundation

/// Makes each change of `.ci/mutations.diff` in a copy of the tree, and asks the tests whether they notice.
struct Mutations {
  private static let path = ".ci/mutations.diff"
  /// Below `.build`, where a package in a package is not taken for a part of it.
  private static let folder = ".build/mutations"
  private static let tree = folder + "/tree"

  private let repository: Repository
  private let mutations: [Mutation]
  private let release: Bool

  /// - Parameter words: Parts of the names of those to run; none means all.
  init(_ repository: Repository, words: [String], release: Bool) throws {
    self.repository = repository
    self.release = release
    let all = try Mutation.list(in: Mutations.path, try repository.lines(of: Mutations.path))
    mutations = all.filter { mutation in
      words.isEmpty || words.contains { mutation.name.lowercased().contains($0.lowercased()) }
    }
    guard !mutations.isEmpty else { throw Failure("error: no change has such a name") }
    let errors = mutations.compactMap { mutation in
      do {
        _ = try mutation.applied(to: try repository.lines(of: mutation.file))
        return nil as String?
      } catch {
        return "\(error)"
      }
    }
    if !errors.isEmpty { throw Failure(errors.joined(separator: "\n")) }
  }

  func list() {
    for mutation in mutations { print("\(mutation.file): \(mutation.name)") }
    print("\(mutations.count) changes")
  }

  func run() throws {
    Interrupt.listen()
    try copyTree()
    let limits = try checkUnchanged()
    var survivors: [Mutation] = []
    var broken: [Mutation] = []
    let start = ContinuousClock.now
    for (index, mutation) in mutations.enumerated() {
      let begin = ContinuousClock.now
      let verdict = try judge(mutation, number: index + 1, limits)
      let seconds = begin.duration(to: .now).components.seconds
      let outcome: String
      switch verdict {
      case .noticed(let test):
        outcome = "noticed by \(test)"
      case .passed:
        outcome = "SURVIVED"
        survivors.append(mutation)
      case .doesNotCompile:
        outcome = "DOES NOT COMPILE"
        broken.append(mutation)
      }
      print("\(index + 1)/\(mutations.count)  \(seconds) s  \(mutation.name): \(outcome)")
      fflush(nil)  // Into a file, too, while it goes on.
    }
    let noticed = mutations.count - survivors.count - broken.count
    let seconds = start.duration(to: .now).components.seconds
    print("\(noticed) of \(mutations.count) changes were noticed, in \(seconds) s")
    let errors =
      survivors.map { "\($0.place): error: “\($0.name)” survived" }
      + broken.map { "\($0.place): error: “\($0.name)” does not compile" }
    if !errors.isEmpty {
      throw Failure((errors + ["see \(Mutations.folder)"]).joined(separator: "\n"))
    }
  }

  /// The tests must pass before anything is changed. Returns after what time a test of each suite hangs.
  private func checkUnchanged() throws -> [Duration] {
    try Suite.all.map { suite in
      let verdict = try suite.judge(
        Mutations.tree,
        release: release,
        limit: .seconds(300),
        logs: "\(Mutations.folder)/unchanged"
      )
      guard case .passed(let duration) = verdict else {
        throw Failure(
          """
          error: unchanged, the tests of the \(suite.name) do not pass: \(verdict)
          see \(Mutations.folder)
          """
        )
      }
      print("unchanged, the tests of the \(suite.name) take \(duration.components.seconds) s")
      return max(.seconds(20), duration * 2)
    }
  }

  private func judge(_ mutation: Mutation, number: Int, _ limits: [Duration]) throws
    -> Suite.Verdict
  {
    var duration = Duration.zero
    let file = URL(filePath: "\(Mutations.tree)/\(mutation.file)")
    let lines = try repository.lines(of: mutation.file)
    let changed = try mutation.applied(to: lines).joined(separator: "\n")
    try Data(changed.utf8).write(to: file)
    defer { try? Data(lines.joined(separator: "\n").utf8).write(to: file) }
    for (suite, limit) in zip(Suite.all, limits) {
      let verdict = try suite.judge(
        Mutations.tree,
        release: release || mutation.needsOptimisation,
        limit: limit,
        logs: "\(Mutations.folder)/\(number)"
      )
      guard case .passed(let more) = verdict else { return verdict }
      duration += more
    }
    return .passed(in: duration)
  }

  /// Copies what is needed to build the tests, and touches nothing that is the same already: the builds of
  /// an earlier run count.
  private func copyTree() throws {
    let manager = FileManager.default
    // SwiftPM would build every snippet with each change.
    let unwanted = ["Benchmarks/", "Examples/", "Snippets/"]
    let wanted = repository.files.filter { file in !unwanted.contains { file.hasPrefix($0) } }
    let copied = (manager.enumerator(atPath: Mutations.tree)?.compactMap { $0 as? String } ?? [])
      .filter { !$0.contains(".build/") }
    for file in Set(copied).subtracting(wanted) {
      let path = "\(Mutations.tree)/\(file)"
      var isFolder: ObjCBool = false
      if manager.fileExists(atPath: path, isDirectory: &isFolder), !isFolder.boolValue {
        try manager.removeItem(atPath: path)
      }
    }
    for file in wanted {
      let copy = "\(Mutations.tree)/\(file)"
      if manager.contentsEqual(atPath: file, andPath: copy) { continue }
      try manager.createDirectory(
        at: URL(filePath: copy).deletingLastPathComponent(),
        withIntermediateDirectories: true
      )
      if manager.fileExists(atPath: copy) { try manager.removeItem(atPath: copy) }
      try manager.copyItem(atPath: file, toPath: copy)
    }
  }
}
