import Foundation

/// The Swift files in files and folders, each once, without links and without what builds make or
/// fetch; and what is wrong with the paths.
struct Inputs {
  private(set) var files: [String] = []
  private(set) var problems: [String] = []
  private let paths: [String]

  init(_ paths: [String], allowsMissing: Bool) {
    self.paths = paths.filter { FileManager.default.fileExists(atPath: $0) }
    if !allowsMissing {
      problems = paths.filter { !self.paths.contains($0) }
        .map { "\($0): there is no file or folder with this name" }
    }
    for path in self.paths {
      let inside = SwiftFiles(in: path)
      problems += inside.problems
      if inside.paths.isEmpty { problems.append("\(path): contains no Swift to check") }
      files += inside.paths
    }
    files.removeDuplicates()
  }

  /// Where callers may be: all files of the repositories around the paths.
  var surroundings: [String] {
    var files = paths.flatMap { path in
      SwiftFiles(in: repository(around: path) ?? folder(of: path)).paths
    }
    files.removeDuplicates()
    return files
  }

  private func repository(around path: String) -> String? {
    for mark in [".git", "Package.swift"] {
      var folder = folder(of: path)
      while true {
        if FileManager.default.fileExists(atPath: "\(folder)/\(mark)") { return folder }
        if URL(filePath: folder).standardizedFileURL.path == "/" { break }
        folder = parent(of: folder)
      }
    }
    return nil
  }

  private func folder(of path: String) -> String {
    var isFolder: ObjCBool = false
    _ = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
    return isFolder.boolValue ? path : parent(of: path)
  }

  /// In the form of the path, which is shown.
  private func parent(of path: String) -> String {
    let isAbove = [".", ".."].contains(path) || path.hasSuffix("/..") || path.hasSuffix("/.")
    if isAbove { return path == "." ? ".." : path + "/.." }
    let parent = (path as NSString).deletingLastPathComponent
    return parent.isEmpty ? "." : parent
  }
}

/// In a folder, or the file itself.
private struct SwiftFiles {
  private(set) var paths: [String] = []
  private(set) var problems: [String] = []

  private static let skipped: Set = [
    "DerivedData", "Pods", "Carthage", "checkouts", "SourcePackages", "node_modules", "build",
  ]

  init(in path: String) {
    var isFolder: ObjCBool = false
    _ = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
    guard isFolder.boolValue else {
      if path.hasSuffix(".swift") { paths = [path] }
      return
    }
    // The slash follows a link that is named.
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: path + "/") else {
      problems = ["\(path): cannot be read: not checked"]
      return
    }
    let inside = names.sorted().filter { !$0.hasPrefix(".") && !Self.skipped.contains($0) }
      .map { (path.hasSuffix("/") ? path : path + "/") + $0 }
    for path in inside {
      // Not a link, nor a pipe or a device, which may have no end.
      let type = try? FileManager.default.attributesOfItem(atPath: path)[.type]
      let isKnown = [.typeRegular, .typeDirectory].contains(type as? FileAttributeType)
      guard isKnown else { continue }
      let files = SwiftFiles(in: path)
      paths += files.paths
      problems += files.problems
    }
  }
}

extension [String] {
  /// Of the paths that lead to the same file, the first stays.
  fileprivate mutating func removeDuplicates() {
    var seen: Set<String> = []
    removeAll { !seen.insert(URL(filePath: $0).resolvingSymlinksInPath().path).inserted }
  }
}
