import CooperativeCancellation
import Dispatch

/// The ticks of a Dispatch timer, the first one at once. One that finds its reader busy waits; more than one is one.
func ticks(every interval: DispatchTimeInterval) -> AsyncCallbackSequence<Void> {
  AsyncCallbackSequence(buffering: .newest(1)) { yield in
    let timer = DispatchSource.makeTimerSource()
    timer.schedule(deadline: .now(), repeating: interval)
    timer.setEventHandler(handler: yield)
    timer.activate()
    return timer
  } onTermination: { timer in
    timer.cancel()
  }
}
