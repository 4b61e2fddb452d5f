import Foundation
import Testing

@testable import Services

@Suite("Process", .watchdog) struct ProcessTests {
  @Test func `the exit status comes back`() async throws {
    #expect(try await Process.shell("exit 7").exitStatus() == 7)
  }

  @Test func `an executable that is not there is an error`() async throws {
    let process = Process()
    process.executableURL = URL(filePath: "/nowhere")
    await #expect(throws: CocoaError.self) { try await process.exitStatus() }
  }

  @Test func `cancelling terminates the child, and waits for its end`() async throws {
    let process = Process.shell("echo begun; exec cat")
    let input = Pipe()
    let output = Pipe()
    process.standardInput = input
    process.standardOutput = output
    let hasBegun = Signal()
    output.fileHandleForReading.readabilityHandler = {
      $0.readabilityHandler = nil
      hasBegun.fire()
    }
    let task = Task { try await process.exitStatus() }
    await hasBegun.wait()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(process.terminationReason == .uncaughtSignal)
    #expect(process.terminationStatus == SIGTERM)
  }
}

extension Process {
  fileprivate static func shell(_ command: String) -> Process {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", command]
    return process
  }
}
