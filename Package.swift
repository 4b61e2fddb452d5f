// swift-tools-version: 6.2

import PackageDescription

// The tests, the tour and the snippets use more of the systems than the library does, and run on
// new ones anyway. They are compiled for the systems that their package supports; so those are
// newer for a command that is given in the package's own folder. For an app that depends on the
// package, they are not. `OLDEST_SYSTEMS=1` has them here, too.
let isOwnCommand =
  Context.environment["PWD"] == Context.packageDirectory
  && Context.environment["OLDEST_SYSTEMS"] == nil

let package = Package(
  name: "swift-cooperative-cancellation",
  platforms: isOwnCommand
    ? [.macOS(.v15), .macCatalyst(.v18), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)]
    : [
      .macOS(.v10_15), .macCatalyst(.v13), .iOS(.v13), .tvOS(.v13), .watchOS(.v6), .visionOS(.v1),
    ],
  products: [
    .library(name: "CooperativeCancellation", targets: ["CooperativeCancellation"]),
    .library(name: "CCallbacks", targets: ["CCallbacks"]),
    .library(name: "CallbackSequences", targets: ["CallbackSequences"]),
    .library(name: "PendingAnswers", targets: ["PendingAnswers"]),
    .library(name: "TaskBags", targets: ["TaskBags"]),
    .library(name: "CooperativeCancellationUI", targets: ["CooperativeCancellationUI"]),
    .library(name: "CooperativeCancellationTesting", targets: ["CooperativeCancellationTesting"]),
  ],
  targets: [
    // The path is the package's own folder so that `Documentation.docc`, which people read in the
    // repository, is part of the target: that is where DocC tools look for it.
    .target(
      name: "CooperativeCancellation",
      dependencies: ["CancellationInternals"],
      path: ".",
      exclude: [
        "Benchmarks", "CHANGELOG.md", "CONTRIBUTING.md", "Examples", "LICENSE", "README.md",
        "Snippets", "Sources/CCallbacks", "Sources/CallbackSequences",
        "Sources/CancellationInternals", "StyleGuide.md",
        "Sources/CooperativeCancellationTesting", "Sources/CooperativeCancellationUI",
        "Sources/PendingAnswers", "Sources/TaskBags", "Sources/Tour", "Tests", "Tools",
      ],
      sources: ["Sources/CooperativeCancellation"]
    ),
    .target(name: "CancellationInternals"),
    .target(
      name: "CCallbacks",
      dependencies: ["CancellationInternals", "CooperativeCancellation"]
    ),
    .target(
      name: "CallbackSequences",
      dependencies: ["CancellationInternals", "CooperativeCancellation"]
    ),
    .target(
      name: "PendingAnswers",
      dependencies: ["CancellationInternals", "CooperativeCancellation"]
    ),
    .target(name: "TaskBags", dependencies: ["CancellationInternals", "CooperativeCancellation"]),
    .target(
      name: "CooperativeCancellationUI",
      dependencies: ["TaskBags"]
    ),
    .target(
      name: "CooperativeCancellationTesting",
      dependencies: ["CancellationInternals", "CooperativeCancellation"]
    ),
    .executableTarget(name: "Tour", dependencies: ["CooperativeCancellation"]),
    .target(
      name: "FakeCallbackSDK",
      dependencies: ["CooperativeCancellationTesting"],
      path: "Tests/FakeCallbackSDK"
    ),
    .target(
      name: "OldSDK",
      path: "Tests/OldSDK",
      swiftSettings: [.swiftLanguageMode(.v5)]
    ),
    .target(name: "HostileCLibrary", path: "Tests/HostileCLibrary"),
    .target(name: "MallocStatistics", path: "Tests/MallocStatistics"),
    .testTarget(
      name: "CooperativeCancellationTests",
      dependencies: [
        "CCallbacks", "CallbackSequences", "CancellationInternals", "CooperativeCancellation",
        "CooperativeCancellationTesting", "CooperativeCancellationUI", "FakeCallbackSDK",
        "HostileCLibrary", "MallocStatistics", "PendingAnswers", "TaskBags",
      ]
    ),
    // What users write, with the settings that they have: those of a new package.
    .testTarget(
      name: "CallSiteTests",
      dependencies: [
        "CCallbacks", "CallbackSequences", "CooperativeCancellation",
        "CooperativeCancellationTesting",
        "FakeCallbackSDK", "OldSDK", "PendingAnswers", "TaskBags",
      ]
    ),
  ],
  swiftLanguageModes: [.v6]
)

// One source, compiled from an actor, from the main actor and from nonisolated code, and another
// with each of the settings that modules have. The folders have links to the sources.
for (name, settings) in [
  ("Actor", []), ("MainActor", []), ("Nonisolated", []),
  ("NonsendingByDefault", [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]),
  ("MainActorByDefault", [.defaultIsolation(MainActor.self)]),
] as [(String, [SwiftSetting])] {
  package.targets.append(
    .testTarget(
      name: "\(name)CallSiteTests",
      dependencies: [
        "CCallbacks", "CallbackSequences", "CooperativeCancellation", "FakeCallbackSDK", "OldSDK",
        "PendingAnswers", "TaskBags",
      ],
      path: "Tests/CallSites/\(name)CallSiteTests",
      swiftSettings: settings
    )
  )
}

for target in package.targets
where !["HostileCLibrary", "MallocStatistics", "OldSDK"].contains(target.name)
  && !target.name.hasSuffix("CallSiteTests")
{
  target.swiftSettings = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  ]
}

// The compiler marks each use of unsafe code in the library.
for target in package.targets
where [
  "CancellationInternals", "CooperativeCancellation", "CCallbacks", "CallbackSequences",
  "PendingAnswers",
  "TaskBags",
].contains(target.name) {
  target.swiftSettings?.append(.strictMemorySafety())
}

// The code of the pages, put to the check that they recommend.
for page in [
  "AnswersByID", "AppRecipes", "Continuations", "DataRecipes", "Recipes", "Sequences",
  "SessionRecipes",
] {
  package.targets.append(
    .testTarget(
      name: "\(page)PageTests",
      dependencies: [
        "CCallbacks", "CallbackSequences", "CooperativeCancellation",
        "CooperativeCancellationTesting",
        "PendingAnswers", "TaskBags",
      ],
      path: "Tests/Recipes/\(page)"
    )
  )
}

// For a build that takes long, as with a sanitizer.
if Context.environment["LIBRARY_TESTS_ONLY"] != nil {
  package.targets.removeAll {
    $0.name.hasSuffix("CallSiteTests") || $0.name.hasSuffix("PageTests")
  }
}
