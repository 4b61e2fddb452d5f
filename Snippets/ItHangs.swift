// What waits, on request: the code of the page "It hangs".

import CooperativeCancellation
import Dispatch

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#endif

func printWaitingCallsOnSignal() -> any DispatchSourceSignal {
  signal(SIGUSR1, SIG_IGN)
  let source = DispatchSource.makeSignalSource(signal: SIGUSR1, queue: .global())
  source.setEventHandler { @Sendable in print(WaitingCall.list) }
  source.activate()
  return source
}

nonisolated(nonsending) func measured<Value>(
  _ name: String,
  _ wait: nonisolated(nonsending) () async throws -> Value
) async throws -> Value {
  do {
    let value = try await wait()
    count(name, "answered")
    return value
  } catch {
    count(
      name,
      error is CancellationError ? "cancelled" : error is TimeoutError ? "timed out" : "failed"
    )
    throw error
  }
}

// MARK: The snippet runs

nonisolated func count(_ name: String, _ outcome: String) { print("\(name): \(outcome)") }

let source = printWaitingCallsOnSignal()
WaitingCall.startRecording(reportingAfter: .seconds(60))
let silent = PendingEvent<Void>()
let task = Task { try await measured("event") { try await silent.value(timeout: .seconds(60)) } }
while WaitingCall.all.isEmpty { await Task.yield() }
print(WaitingCall.list)
task.cancel()
_ = await task.result
print(WaitingCall.list)
