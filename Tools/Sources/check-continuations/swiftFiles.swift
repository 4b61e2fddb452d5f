import Foundation

/// The Swift files in files and folders, without links and without what builds make or fetch.
func swiftFiles(in paths: [String]) -> [String] {
  let skipped = [
    "DerivedData", "Pods", "Carthage", "checkouts", "SourcePackages", "node_modules", "build",
  ]
  return paths.flatMap { path -> [String] in
    // The slash follows a link that is named.
    let names = try? FileManager.default.contentsOfDirectory(atPath: path + "/")
    guard let names else { return path.hasSuffix(".swift") ? [path] : [] }
    let inside = names.sorted().filter { !$0.hasPrefix(".") && !skipped.contains($0) }
      .map { (path.hasSuffix("/") ? path : path + "/") + $0 }
    return swiftFiles(in: inside.filter { isFileOrFolder($0) })
  }
}

/// Not a link, nor a pipe or a device, which may have no end.
private func isFileOrFolder(_ path: String) -> Bool {
  let type = try? FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType
  return type == .typeRegular || type == .typeDirectory
}
