import ContinuationChecks
import Foundation
import Testing

@testable import check_continuations

/// Runs the command in a folder of its own.
private final class Folder: Sendable {
  let url = URL(filePath: NSTemporaryDirectory()).appending(path: UUID().uuidString)

  init(_ files: [String: String] = [:]) throws {
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    for (name, text) in files { try write(text, to: name) }
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func path(_ name: String) -> String { url.appending(path: name).path }

  func write(_ text: String, to name: String) throws {
    let parent = URL(filePath: path(name)).deletingLastPathComponent()
    try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
    try Data(text.utf8).write(to: URL(filePath: path(name)))
  }

  func run(_ names: String..., options: [String] = []) throws -> (status: Int32, text: String) {
    let command = try CheckContinuations.parse(names.map(path) + options)
    var text = ""
    let run = Run(command: command, print: { text += $0 + "\n" }, say: { text += $0 })
    let status = run.status()
    return (status, text.replacing(url.path + "/", with: ""))
  }
}

private let wrong =
  "func f(completion: @escaping () -> Void) { sdk.load { a in if let a { completion() } } }"
  + "; func g() { f { group.leave() } }"
private let finding = "never-called"

@Test func `the status says whether all was checked and nothing found`() throws {
  let folder = try Folder(["a.swift": "let a = 1", "b.swift": wrong])
  #expect(try folder.run("a.swift").status == 0)
  #expect(try folder.run("b.swift").status == 1)
  #expect(try folder.run("").status == 1)
}

@Test func `what is not checked is said`() throws {
  let folder = try Folder([
    "brace.swift": "func f(completion: () -> Void) {", "zero.swift": "// completion\u{0}",
    "notes.txt": "", "a.swift": wrong,
  ])
  for (name, reason) in [
    ("brace.swift", "does not parse"), ("zero.swift", "is not UTF-8"), ("notes.txt", "no Swift"),
    ("missing.swift", "there is no file"),
  ] {
    let alone = try folder.run(name)
    #expect(alone.status == 2 && alone.text.contains(name) && alone.text.contains(reason))
    // The others are checked.
    let both = try folder.run(name, "a.swift")
    #expect(both.status == 2 && both.text.contains(finding) && both.text.contains(name))
  }
  try FileManager.default.createDirectory(
    atPath: folder.path("empty"),
    withIntermediateDirectories: true
  )
  #expect(try folder.run("empty").status == 2)
}

@Test func `deleted files in a list may be passed over`() throws {
  let folder = try Folder(["a.swift": "let a = 1"])
  let result = try folder.run("missing.swift", "a.swift", options: ["--allow-missing"])
  #expect(result.status == 0 && result.text.hasPrefix("files: 1"))
}

@Test func `a file that is named twice is checked once`() throws {
  let folder = try Folder(["a.swift": wrong])
  #expect(try folder.run("a.swift", "./a.swift", "").text.contains("files: 1"))
}

@Test(arguments: [20, 300, 1_500])
func `deep code is checked`(depth: Int) async throws {
  let ifs = String(repeating: "if a { ", count: depth)
  let ends = String(repeating: "}", count: depth)
  let body = "sdk.load { a in \(ifs) completion() \(ends) }"
  let source = "func f(completion: @escaping () -> Void) { \(body) }"
  let folder = try Folder(["a.swift": source + "; func g() { f { group.leave() } }"])
  // As in the command, which has a stack of its own.
  let status = await withCheckedContinuation { continuation in
    let thread = Thread { continuation.resume(returning: try? folder.run("a.swift").status) }
    thread.stackSize = 1 << 30
    thread.start()
  }
  #expect(status == 1)
}

@Test func `kinds can be chosen`() throws {
  let folder = try Folder(["a.swift": wrong])
  #expect(try folder.run("a.swift", options: ["--skip", finding]).status == 0)
  #expect(try folder.run("a.swift", options: ["--only", finding]).status == 1)
  #expect(try folder.run("a.swift", options: ["--only", "never-resumed"]).status == 0)
  #expect(throws: (any Error).self) { try folder.run("a.swift", options: ["--only", "nothing"]) }
}

@Test func `debatable findings are counted, and shown if asked for`() throws {
  let source = "func f(completion: @escaping () -> Void) { delegate?.load(completion) }"
  let folder = try Folder(["a.swift": source])
  let hidden = try folder.run("a.swift")
  #expect(hidden.status == 0 && hidden.text.contains("1 debatable"))
  #expect(try folder.run("a.swift", options: ["--all"]).status == 1)
}

@Test func `callers may stand elsewhere in the repository`() throws {
  let parts = wrong.split(separator: "; func g").map(String.init)
  let folder = try Folder([
    "App/Model/a.swift": parts[0], "App/b.swift": "func g" + parts[1],
  ])
  // Without a repository, only the folders that are named are known, and the folder of a file.
  #expect(try folder.run("App").status == 1)
  #expect(try folder.run("App/Model/a.swift").status == 0)
  for mark in [".git", "Package.swift"] {
    try folder.write("", to: mark)
    for path in ["App/Model/a.swift", "App/Model"] {
      let found = try folder.run(path)
      #expect(found.status == 1 && found.text.contains("see its caller in App/b.swift:1"))
      #expect(found.text.contains("files: 1,"))
    }
    try FileManager.default.removeItem(atPath: folder.path(mark))
  }
}

@Test func `a finding that no caller depends on has the other kind`() throws {
  let folder = try Folder(["a.swift": wrong.replacing("group.leave()", with: "")])
  #expect(try folder.run("a.swift").text.contains("1 debatable"))
  #expect(try folder.run("a.swift", options: ["--only", finding]).status == 0)
  let other = try folder.run("a.swift", options: ["--only", "maybe-\(finding)"])
  #expect(other.status == 1 && other.text.contains("[maybe-never-called]"))
}

@Test func `annotations are escaped`() throws {
  let folder = try Folder(["a,b.swift": wrong])
  let text = try folder.run("a,b.swift", options: ["--format", "github"]).text
  #expect(text.hasPrefix("::warning file="))
  #expect(text.contains("a%2Cb.swift,line=1,col=60,title=never-called::this `if` may not apply"))
}

@Test func `a baseline hides what it has, once, and is reported when it is out of date`() throws {
  let folder = try Folder(["a.swift": wrong])
  let baseline = folder.path("baseline")
  #expect(try folder.run("a.swift", options: ["--write-baseline", baseline]).status == 0)
  #expect(try folder.run("a.swift", options: ["--baseline", baseline]).status == 0)

  try folder.write("\n" + wrong, to: "a.swift")
  #expect(try folder.run("a.swift", options: ["--baseline", baseline]).status == 0)

  try folder.write(wrong + "\n" + wrong, to: "a.swift")
  #expect(try folder.run("a.swift", options: ["--baseline", baseline]).status == 1)

  try folder.write("let a = 1", to: "a.swift")
  let gone = try folder.run("a.swift", options: ["--baseline", baseline])
  #expect(gone.status == 0 && gone.text.contains("1 findings of the baseline are gone"))
  #expect(try folder.run("a.swift", options: ["--baseline", folder.path("none")]).status == 2)
}
