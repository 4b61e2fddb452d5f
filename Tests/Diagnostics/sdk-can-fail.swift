// An SDK that can fail, in the bridge that does not throw.

import CooperativeCancellation

func user(_ sdk: SDK) async -> User {
  await withAsyncValue { sdk.load($0) }
}
