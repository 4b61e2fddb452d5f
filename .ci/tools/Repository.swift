import Foundation

/// The files of the repository: tracked ones, and new ones that are not ignored.
struct Repository {
  /// Paths from the root, sorted.
  let files: [String]

  init() throws {
    let git = Process()
    let output = Pipe()
    git.executableURL = URL(filePath: "/usr/bin/env")
    git.arguments = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    git.standardOutput = output
    try git.run()
    let names = output.fileHandleForReading.readDataToEndOfFile()
    git.waitUntilExit()
    guard git.terminationStatus == 0 else { throw Failure("git ls-files failed") }
    files = names.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
      // Git also lists deleted files until the deletion is committed.
      .filter { FileManager.default.fileExists(atPath: $0) }
      .sorted()
  }

  func contains(_ path: String) -> Bool {
    files.contains(path) || files.contains { $0.hasPrefix(path.isEmpty ? "" : path + "/") }
  }

  func lines(of file: String) throws -> [String] {
    try String(contentsOfFile: file, encoding: .utf8)
      .split(separator: "\n", omittingEmptySubsequences: false)
      .map(String.init)
  }
}

/// The message of a check that fails.
struct Failure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}

extension StringProtocol {
  var trimmed: String { trimmingCharacters(in: .whitespaces) }
}
