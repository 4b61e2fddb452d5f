// An actor's sequence, for an operator that reads it elsewhere.

import CallbackSequences
import CooperativeCancellation

func merge<Base: AsyncSequence & Sendable>(_ base: Base) {}

@MainActor func elsewhere(_ sdk: SDK) {
  let sizes = AsyncCallbackSequence<Int>(buffering: .newest(1)) { yield in
    sdk.size(yield)
  } onTermination: {
  }
  merge(sizes)
}
