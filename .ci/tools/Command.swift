import Foundation

/// A program that runs for a while, with its output in a file.
struct Command {
  let arguments: [String]
  let directory: String
  let log: String
  var environment: [String: String] = [:]

  /// How a run ended, and what it printed by then.
  struct Ending {
    let isSuccess: Bool
    let isOverTime: Bool
    let lines: [String]
  }

  /// Runs the program to its end; or until it has printed a line that says enough, or its time is up.
  ///
  /// Interrupted, SwiftPM ends what it has started, which would outlive it otherwise.
  func run(limit: Duration = .seconds(3600), until isEnough: (String) -> Bool = { _ in false })
    throws -> Ending
  {
    try Data().write(to: URL(filePath: log))
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = arguments
    process.currentDirectoryURL = URL(filePath: directory)
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle(forWritingAtPath: log)
    process.standardError = process.standardOutput

    let start = ContinuousClock.now
    let output = try FileHandle(forReadingFrom: URL(filePath: log))
    var lines: [String] = []
    var rest = Data()
    /// Whether a line that is new says enough.
    func readOn() throws -> Bool {
      let seen = lines.count
      rest += try output.readToEnd() ?? Data()
      while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        lines.append(String(decoding: rest[..<end], as: UTF8.self))
        rest = rest[(end + 1)...]
      }
      return lines[seen...].contains(where: isEnough)
    }

    var interruptedAt: ContinuousClock.Instant?
    var isOverTime = false
    try process.run()
    while process.isRunning {
      Thread.sleep(forTimeInterval: 0.05)
      if let interruptedAt {
        if interruptedAt.duration(to: .now) > .seconds(20) {
          kill(process.processIdentifier, SIGKILL)
        }
        continue
      }
      isOverTime = start.duration(to: .now) > limit
      if try readOn() || isOverTime || Interrupt.wasSent {
        process.interrupt()
        interruptedAt = .now
      }
    }
    if Interrupt.wasSent { throw Failure("interrupted") }
    _ = try readOn()
    return Ending(
      isSuccess: process.terminationReason == .exit && process.terminationStatus == 0,
      isOverTime: isOverTime,
      lines: lines
    )
  }
}
