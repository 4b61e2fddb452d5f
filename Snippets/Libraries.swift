// The code of the page "Foundation and other libraries".

import CallbackSequences
import CooperativeCancellation
import Dispatch
import Foundation
import PendingAnswers

// MARK: - A pipe

func chunks(of file: FileHandle) -> AsyncThrowingCallbackSequence<[UInt8]> {
  AsyncThrowingCallbackSequence(buffering: .unbounded) { yield, finish in
    let queue = DispatchQueue(label: "chunks")
    // The channel keeps the file open until it is done with it.
    let channel = DispatchIO(type: .stream, fileDescriptor: file.fileDescriptor, queue: queue) {
      @Sendable _ in withExtendedLifetime(file) {}
    }
    channel.setLimit(lowWater: 1)
    channel.read(offset: 0, length: .max, queue: queue) { @Sendable isDone, data, error in
      if let data, !data.isEmpty { yield([UInt8](data)) }
      if isDone { finish(error == 0 ? nil : ReadError(code: error)) }
    }
    return channel
  } onTermination: { channel in
    channel.close(flags: .stop)
  }
}

struct ReadError: Error {
  let code: Int32
}

/// Runs a shell command, and returns the number of bytes that it writes.
func countOutput(of command: String) async throws -> Int {
  let process = Process()
  let pipe = Pipe()
  process.executableURL = URL(filePath: "/bin/sh")
  process.arguments = ["-c", command]
  process.standardOutput = pipe
  let end = PendingEvent<Int32>()
  process.terminationHandler = { end.close(returning: $0.terminationStatus) }
  try process.run()
  var count = 0
  for try await chunk in chunks(of: pipe.fileHandleForReading) { count += chunk.count }
  // On Linux, a process that is released before Foundation has noticed its end crashes.
  _ = try await end.value()
  withExtendedLifetime(process) {}
  return count
}

for _ in 1...5 {
  let count = try await countOutput(of: "head -c 300000 /dev/zero")
  precondition(count == 300_000)
}

// MARK: - Polling

func waitUntilReady(_ server: Server) async throws {
  while try await !server.isReady() {
    try await Task.sleep(for: .seconds(1))
  }
}

func waitUntilReadyForAMinute(_ server: Server) async throws {
  try await withAbandonableTask(timeout: .seconds(60)) { try await waitUntilReady(server) }
}

struct Server: Sendable {
  func isReady() async throws -> Bool { true }
}

try await waitUntilReadyForAMinute(Server())

// MARK: - curl

/// Calls `curl_easy_perform`, which blocks its thread, on a queue.
func transfer(_ handle: Handle) async throws -> Int32 {
  try await withCancellationFlag { flag in
    try await withAsyncThrowingValue(whenCancelled: .waitForCallback) { completion in
      queue.async {
        completion(handle.perform(shouldStop: { flag.isCancelled }))
      }
    }
  }
}

nonisolated struct Handle: Sendable {
  /// Stands for `curl_easy_perform`, with a function for `CURLOPT_XFERINFOFUNCTION` that returns 1 to stop.
  func perform(shouldStop: @Sendable () -> Bool) -> Int32 { shouldStop() ? 42 : 0 }
}

let queue = DispatchQueue(label: "curl")
_ = try await transfer(Handle())
