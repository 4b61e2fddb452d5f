// An SDK that reports a value and an error, in the bridge that does not throw.

import CooperativeCancellation

func user(_ sdk: SDK) async -> User? {
  await withAsyncValue { sdk.find($0) }
}
