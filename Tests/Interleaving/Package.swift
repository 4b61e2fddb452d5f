// swift-tools-version: 6.2

// Runs the library's real code in every order of its steps. Linux only, and a package of its own:
// the scheduler takes the place of the system's locks in the whole process, so it must not be in a
// process with other tests.

import PackageDescription

let products = [
  "CCallbacks", "CallbackSequences", "CooperativeCancellation", "CooperativeCancellationTesting",
  "PendingAnswers", "TaskBags",
]

let package = Package(
  name: "Interleaving",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "swift-cooperative-cancellation", path: "../..")],
  targets: [
    .executableTarget(
      name: "Interleaving",
      dependencies: ["CScheduler"]
        + products.map { .product(name: $0, package: "swift-cooperative-cancellation") }
    ),
    .target(name: "CScheduler"),
  ],
  swiftLanguageModes: [.v6]
)
