// A sequence that does not say what becomes of what a slow reader misses.

import CallbackSequences
import CooperativeCancellation

func sizes(_ sdk: SDK) -> AsyncCallbackSequence<Int> {
  AsyncCallbackSequence { yield in
    sdk.size(yield)
  } onTermination: {
  }
}
