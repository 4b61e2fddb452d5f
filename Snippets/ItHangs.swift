// The code of the page "Debug a hang or a crash".

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
  source.setEventHandler { @Sendable in print(WaitingCalls.list) }
  source.activate()
  return source
}

let source = printWaitingCallsOnSignal()
