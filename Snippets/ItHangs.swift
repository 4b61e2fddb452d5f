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

// MARK: The snippet runs

let source = printWaitingCallsOnSignal()
WaitingCall.startRecording(reportingAfter: .seconds(60))
let silent = PendingEvent<Void>()
let task = Task { try await silent.value(timeout: .seconds(60)) }
while WaitingCall.list.hasPrefix("No calls") { await Task.yield() }
print(WaitingCall.list)
task.cancel()
_ = await task.result
print(WaitingCall.list)
