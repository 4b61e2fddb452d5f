import Foundation

/// The Swift files in folders, without what a build has made or fetched, and without links.
struct SourceFiles {
  private(set) var paths: [String] = []

  init(in roots: [String]) {
    for root in roots { add(root, isRoot: true) }
  }

  private static let skipped: Set = [
    "DerivedData", "Pods", "Carthage", "checkouts", "SourcePackages", "node_modules", "build",
  ]

  private mutating func add(_ path: String, isRoot: Bool = false) {
    let manager = FileManager.default
    let type = try? manager.attributesOfItem(atPath: path)[.type] as? FileAttributeType
    var isFolder: ObjCBool = false
    guard type != .typeSymbolicLink || isRoot,
      manager.fileExists(atPath: path, isDirectory: &isFolder)
    else { return }
    if !isFolder.boolValue {
      // A pipe or a device has no end.
      if path.hasSuffix(".swift"), type == .typeRegular || isRoot { paths.append(path) }
      return
    }
    let folder = path.hasSuffix("/") ? path : path + "/"
    // A link that is named is followed.
    let names = (try? manager.contentsOfDirectory(atPath: folder)) ?? []
    for name in names.sorted() where !name.hasPrefix(".") && !Self.skipped.contains(name) {
      add(folder + name)
    }
  }
}
