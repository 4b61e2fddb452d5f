// swift-tools-version: 6.2

import Foundation
import PackageDescription

// The tests, the tour and the snippets use more of the systems than the library does, and run on new ones anyway. They
// are compiled with the package, for the systems that it supports; so in a clone those are newer. Not in the copy
// that an app depends on: that is below `checkouts`, or has no `.git` folder of its own.
// `OLDEST_SYSTEMS=1` compiles a clone as apps do.
let isClone =
  Context.environment["OLDEST_SYSTEMS"] == nil
  && !Context.packageDirectory.split(separator: "/").contains("checkouts")
  && FileManager.default.fileExists(atPath: Context.packageDirectory + "/.git/HEAD")

let package = Package(
  name: "swift-cooperative-cancellation",
  platforms: isClone
    ? [.macOS(.v15), .macCatalyst(.v18), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)]
    : [
      .macOS(.v10_15), .macCatalyst(.v13), .iOS(.v13), .tvOS(.v13), .watchOS(.v6), .visionOS(.v1),
    ],
  products: [
    .library(name: "CooperativeCancellation", targets: ["CooperativeCancellation"]),
    .library(name: "CooperativeCancellationUI", targets: ["CooperativeCancellationUI"]),
  ],
  targets: [
    // The path is the package's own folder so that `Documentation.docc`, which people read in the
    // repository, is part of the target: that is where DocC tools look for it.
    .target(
      name: "CooperativeCancellation",
      path: ".",
      exclude: [
        "Benchmarks", "CHANGELOG.md", "CONTRIBUTING.md", "Examples", "LICENSE", "README.md",
        "Snippets",
        "Sources/CooperativeCancellationUI", "Sources/Tour", "Tests",
      ],
      sources: ["Sources/CooperativeCancellation"]
    ),
    .target(name: "CooperativeCancellationUI", dependencies: ["CooperativeCancellation"]),
    .executableTarget(name: "Tour", dependencies: ["CooperativeCancellation"]),
    .target(name: "FakeCallbackSDK", path: "Tests/FakeCallbackSDK"),
    .target(name: "HostileCLibrary", path: "Tests/HostileCLibrary"),
    .target(name: "MallocStatistics", path: "Tests/MallocStatistics"),
    .testTarget(
      name: "CooperativeCancellationTests",
      dependencies: [
        "CooperativeCancellation", "CooperativeCancellationUI", "FakeCallbackSDK",
        "HostileCLibrary", "MallocStatistics",
      ]
    ),
    // What users write, with the settings that they have: those of a new package.
    .testTarget(
      name: "CallSiteTests",
      dependencies: ["CooperativeCancellation", "FakeCallbackSDK"]
    ),
  ],
  swiftLanguageModes: [.v6]
)

for target in package.targets
where !["CallSiteTests", "HostileCLibrary", "MallocStatistics"].contains(target.name) {
  target.swiftSettings = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  ]
}
