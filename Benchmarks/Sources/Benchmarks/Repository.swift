import Foundation

/// The files that the command reads and writes, independent of the working directory.
enum Repository {
  static let page = root.appending(path: "Documentation.docc/Cost.md")

  private static let root =
    URL(filePath: #filePath)  // …/Benchmarks/Sources/Benchmarks/Repository.swift
    .deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
}
