import CallbackSequences
import CooperativeCancellation
import Dispatch

/// The ticks of a Dispatch timer, starting at once. One waits for a busy reader; others are merged
/// into it.
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
