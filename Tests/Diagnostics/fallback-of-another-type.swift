// A fallback that is not what the SDK reports.

import CooperativeCancellation

func size(_ sdk: SDK) async -> Int {
  await withAsyncValue(fallback: "none") { sdk.size($0) }
}
