// An SDK that can fail, in the sequence that does not throw.

import CallbackSequences
import CooperativeCancellation

func users(_ sdk: SDK) -> AsyncCallbackSequence<User> {
  AsyncCallbackSequence(buffering: .newest(1)) { yield in
    sdk.load(yield)
  } onTermination: { request in
    request.cancel()
  }
}
