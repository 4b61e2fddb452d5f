/// Some of the tests, in a copy of the tree.
struct Suite {
  let name: String
  let package: String
  let build: [String]
  let test: [String]

  /// In the order in which they are asked, until one has noticed something.
  static let all = [library, glue, races]

  /// What takes long, because it repeats.
  private static let slow = ["RaceTests", "RealAPITests", "ConservationTests", "threads at once"]

  private static let tests = ["--filter", #"CooperativeCancellationTests\."#]
  private static let product = ["--product", "swift-cooperative-cancellationPackageTests"]

  private static let library = Suite(
    name: "library",
    package: ".",
    build: product,
    test: tests + slow.flatMap { ["--skip", $0] }
  )

  /// The glue to UIKit and SwiftUI, against stand-ins.
  private static let glue = Suite(
    name: "glue",
    package: "Tests/UIStandIns",
    build: ["--build-tests"],
    test: []
  )

  /// For what can go wrong only between two threads.
  private static let races = Suite(
    name: "races",
    package: ".",
    build: product,
    test: ["--filter", #"CooperativeCancellationTests\..*(RaceTests|ConservationTests)"#]
  )

  /// What it says about the tree.
  enum Verdict {
    case passed(in: Duration)
    case doesNotCompile
    case noticed(by: String)
  }

  func judge(_ tree: String, release: Bool, limit: Duration, logs: String) throws -> Verdict {
    let shared = [
      "--package-path", package, "--configuration", release ? "release" : "debug", "--jobs", "2",
      "-debug-info-format", "none",
    ]
    // A release build has the package's internals only if it is asked for them, as `swift test` does.
    let testable = release ? ["-Xswiftc", "-enable-testing"] : []
    let built = try Command(
      arguments: ["swift", "build"] + shared + testable + build,
      directory: tree,
      log: "\(logs).\(name).build.txt"
    ).run()
    guard built.isSuccess else { return .doesNotCompile }
    let start = ContinuousClock.now
    let tested = try Command(
      arguments: ["swift", "test", "--skip-build"] + shared + testable + test,
      directory: tree,
      log: "\(logs).\(name).tests.txt",
      environment: [
        "WATCHDOG_SECONDS": "\(limit.components.seconds)",
        // For a crash that is wanted, it takes half a minute.
        "SWIFT_BACKTRACE": "enable=no",
      ]
    ).run(limit: limit + .seconds(10)) { Suite.complaint(in: $0) != nil }
    if let complaint = tested.lines.lazy.compactMap(Suite.complaint).first {
      return .noticed(by: complaint)
    }
    if tested.isOverTime { return .noticed(by: "a hang") }
    return tested.isSuccess ? .passed(in: start.duration(to: .now)) : .noticed(by: "a failed run")
  }

  /// Who says in a line of the tests' output that something is wrong.
  private static func complaint(in line: String) -> String? {
    if let match = line.firstMatch(of: /✘ Test (".+?"|\S+\(.*?\)) (recorded|with \d+|failed)/) {
      return String(match.1)
    }
    if let match = line.firstMatch(of: /watchdog: “(.+)” still runs/) {
      return "a hang in \"\(match.1)\""
    }
    if line.contains("unexpected signal") { return "a crash" }
    return nil
  }
}
