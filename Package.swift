// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "swift-cooperative-cancellation",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
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
