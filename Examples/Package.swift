// swift-tools-version: 6.2

// Third-party SDKs, each wrapped in a short service. A separate package, because the library
// depends on none.

import Foundation
import PackageDescription

// Apple's SDKs have SQLite; elsewhere it may be missing, and then its example is left out.
#if canImport(Darwin)
  let hasSQLite = true
#else
  let hasSQLite = FileManager.default.fileExists(atPath: "/usr/include/sqlite3.h")
#endif

let needingSQLite = ["Database.swift", "Ledger.swift", "Ledger+combined.swift"]
let testsNeedingSQLite = ["DatabaseTests.swift", "LedgerTests.swift"]

let package = Package(
  name: "Examples",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "swift-cooperative-cancellation", path: ".."),
    .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-async-algorithms.git", from: "1.1.4"),
    .package(url: "https://github.com/apple/swift-log.git", from: "1.6.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.9.0"),
  ],
  targets: [
    .target(
      name: "Services",
      dependencies: [
        .product(name: "CCallbacks", package: "swift-cooperative-cancellation"),
        .product(name: "CallbackSequences", package: "swift-cooperative-cancellation"),
        .product(name: "CooperativeCancellation", package: "swift-cooperative-cancellation"),
        .product(name: "PendingAnswers", package: "swift-cooperative-cancellation"),
        .product(name: "TaskBags", package: "swift-cooperative-cancellation"),
        .product(name: "AsyncAlgorithms", package: "swift-async-algorithms"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ] + (hasSQLite ? ["CSQLite"] : []),
      exclude: hasSQLite ? [] : needingSQLite
    ),
    .testTarget(
      name: "ServicesTests",
      dependencies: [
        "Services",
        .product(name: "CallbackSequences", package: "swift-cooperative-cancellation"),
        .product(name: "CooperativeCancellation", package: "swift-cooperative-cancellation"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "UnixSignals", package: "swift-service-lifecycle"),
      ],
      exclude: hasSQLite ? ["DatabaseIsLeftOut.swift"] : testsNeedingSQLite
    ),
  ],
  swiftLanguageModes: [.v6]
)

if hasSQLite {
  package.targets.append(.systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"])]))
}

for target in package.targets where target.type != .system {
  target.swiftSettings = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
  ]
}
