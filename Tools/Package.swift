// swift-tools-version: 6.2

// A package of its own, so that the library depends on no parser.

import PackageDescription

let package = Package(
  name: "Tools",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    .package(url: "https://github.com/swiftlang/swift-syntax", from: "603.0.1"),
  ],
  targets: [
    .executableTarget(
      name: "check-continuations",
      dependencies: [
        "ContinuationChecks", .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]
    ),
    .target(
      name: "ContinuationChecks",
      dependencies: [.product(name: "SwiftParser", package: "swift-syntax")]
    ),
    // Code to check, which has to compile.
    .target(name: "Callbacks", path: "Tests/Callbacks"),
    .testTarget(
      name: "ContinuationChecksTests",
      dependencies: ["Callbacks", "ContinuationChecks"]
    ),
  ]
)

for target in package.targets { target.swiftSettings = [.treatAllWarnings(as: .error)] }
