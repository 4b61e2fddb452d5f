// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "swift-cooperative-cancellation", path: "..")],
  targets: [
    .executableTarget(
      name: "Benchmarks",
      dependencies: [
        "LegacySDK", "MallocCounter",
        .product(name: "CallbackSequences", package: "swift-cooperative-cancellation"),
        .product(name: "CooperativeCancellation", package: "swift-cooperative-cancellation"),
        .product(name: "PendingAnswers", package: "swift-cooperative-cancellation"),
      ]
    ),
    .executableTarget(
      name: "Client",
      dependencies: [
        .product(name: "CooperativeCancellation", package: "swift-cooperative-cancellation")
      ]
    ),
    // Modules of their own, so that the compiler sees as little of the SDK as of a real one.
    .target(name: "LegacySDK"),
    .target(name: "MallocCounter"),
  ],
  swiftLanguageModes: [.v6]
)
