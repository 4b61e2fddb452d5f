import Foundation

/// The Swift files in files and folders, each once, without links and without what builds make or
/// fetch; and what is wrong with the paths.
struct Inputs {
  private(set) var files: [String] = []
  private(set) var problems: [String] = []

  private static let skipped: Set = [
    "DerivedData", "Pods", "Carthage", "checkouts", "SourcePackages", "node_modules", "build",
  ]

  init(_ paths: [String], allowsMissing: Bool) {
    var seen: Set<String> = []
    for path in paths {
      guard FileManager.default.fileExists(atPath: path) else {
        if !allowsMissing { problems.append("\(path): there is no file or folder with this name") }
        continue
      }
      let inside = swiftFiles(in: path)
      if inside.isEmpty { problems.append("\(path): contains no Swift to check") }
      files += inside.filter {
        seen.insert(URL(filePath: $0).resolvingSymlinksInPath().path).inserted
      }
    }
  }

  private mutating func swiftFiles(in path: String) -> [String] {
    var isFolder: ObjCBool = false
    _ = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
    guard isFolder.boolValue else { return path.hasSuffix(".swift") ? [path] : [] }
    // The slash follows a link that is named.
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: path + "/") else {
      problems.append("\(path): cannot be read: not checked")
      return []
    }
    let inside = names.sorted().filter { !$0.hasPrefix(".") && !Self.skipped.contains($0) }
      .map { (path.hasSuffix("/") ? path : path + "/") + $0 }
    return inside.flatMap { path -> [String] in
      // Not a link, nor a pipe or a device, which may have no end.
      let type = try? FileManager.default.attributesOfItem(atPath: path)[.type]
      let isKnown = [.typeRegular, .typeDirectory].contains(type as? FileAttributeType)
      return isKnown ? swiftFiles(in: path) : []
    }
  }
}
