// swift-tools-version: 6.2

// A package of its own, so that the library depends on no parser.

import PackageDescription

/// The folder with the parser that the toolchain has built already, as `./parser-folder` prints it.
/// Without it, the parser is built from source, which takes minutes.
let parserFolder = Context.environment["SWIFT_PARSER_FOLDER"].flatMap { $0.isEmpty ? nil : $0 }

let package = Package(
  name: "Tools",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0")
  ],
  targets: [
    .executableTarget(
      name: "check-continuations",
      dependencies: [
        "ContinuationChecks", .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]
    ),
    .target(name: "ContinuationChecks"),
    // Code to check, which has to compile.
    .target(name: "Callbacks", path: "Tests/Callbacks"),
    .testTarget(
      name: "ContinuationChecksTests",
      dependencies: ["Callbacks", "ContinuationChecks", "check-continuations"]
    ),
  ]
)

for target in package.targets {
  target.swiftSettings = [.treatAllWarnings(as: .error)]
  if let parserFolder { target.swiftSettings?.append(.unsafeFlags(["-I", parserFolder])) }
}
for target in package.targets where target.type != .regular {
  if let parserFolder {
    let options = ["-L", parserFolder, "-Xlinker", "-rpath", "-Xlinker", parserFolder]
    target.linkerSettings = [
      .unsafeFlags(options), .linkedLibrary("SwiftParser"), .linkedLibrary("SwiftSyntax"),
    ]
  }
}
if parserFolder == nil {
  package.dependencies.append(
    .package(url: "https://github.com/swiftlang/swift-syntax", from: "603.0.1")
  )
  package.targets[1].dependencies.append(.product(name: "SwiftParser", package: "swift-syntax"))
}
