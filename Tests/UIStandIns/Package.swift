// swift-tools-version: 6.2

// The glue to UIKit and SwiftUI, type-checked and run against stand-ins that have just what the
// glue uses. Its own package: a target named UIKit changes `canImport(UIKit)` for all others of its
// package.

import PackageDescription

let package = Package(
  name: "UIStandIns",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "swift-cooperative-cancellation", path: "../..")],
  targets: [
    .target(name: "UIKit"),
    .target(name: "SwiftUI", dependencies: ["UIKit"]),
    // A symbolic link to the real sources.
    .target(
      name: "Glue",
      dependencies: [
        "SwiftUI", "UIKit",
        .product(name: "TaskBags", package: "swift-cooperative-cancellation"),
      ],
      path: "Sources/CooperativeCancellationUI",
      swiftSettings: [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
      ]
    ),
    .testTarget(
      name: "GlueTests",
      dependencies: [
        "Glue", "SwiftUI", "UIKit",
        .product(name: "CooperativeCancellation", package: "swift-cooperative-cancellation"),
        .product(name: "TaskBags", package: "swift-cooperative-cancellation"),
      ]
    ),
  ],
  swiftLanguageModes: [.v6]
)
