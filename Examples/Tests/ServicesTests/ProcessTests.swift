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

  @Test func `the status and all output come back`() async throws {
    for _ in 1...20 {
      let process = Process.shell("head -c 300000 /dev/zero | tr '\\0' x; exit 3")
      let (status, output) = try await process.exitStatusAndOutput()
      #expect(status == 3)
      #expect(output == Data(repeating: UInt8(ascii: "x"), count: 300_000))
    }
  }

  @Test func `the output of an executable that is not there is an error`() async throws {
    let process = Process()
    process.executableURL = URL(filePath: "/nowhere")
    await #expect(throws: CocoaError.self) { try await process.exitStatusAndOutput() }
  }

  @Test func `cancelling terminates a child whose output is read`() async throws {
    let process = Process.shell("echo begun >&2; exec cat")
    process.standardInput = Pipe()
    let hasBegun = process.begins(writingTo: \.standardError)
    let task = Task { try await process.exitStatusAndOutput() }
    await hasBegun.wait()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(process.terminationStatus == SIGTERM)
  }

  @Test func `cancelling terminates the child, and waits for its end`() async throws {
    let process = Process.shell("echo begun; exec cat")
    process.standardInput = Pipe()
    let hasBegun = process.begins(writingTo: \.standardOutput)
    let task = Task { try await process.exitStatus() }
    await hasBegun.wait()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(process.terminationReason == .uncaughtSignal)
    #expect(process.terminationStatus == SIGTERM)
  }
}

extension Process {
  /// Fires when the process has written something.
  fileprivate func begins(writingTo output: ReferenceWritableKeyPath<Process, Any?>) -> Signal {
    let pipe = Pipe()
    self[keyPath: output] = pipe
    let hasBegun = Signal()
    pipe.fileHandleForReading.readabilityHandler = {
      $0.readabilityHandler = nil
      hasBegun.fire()
    }
    return hasBegun
  }

  fileprivate static func shell(_ command: String) -> Process {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", command]
    return process
  }
}
