// A sequence that does not say how to unregister.

import CallbackSequences
import CooperativeCancellation

func sizes(_ sdk: SDK) -> AsyncCallbackSequence<Int> {
  AsyncCallbackSequence(buffering: .newest(1)) { yield in
    sdk.size(yield)
  }
}
