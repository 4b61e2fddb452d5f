// A wait that ignores a cancellation, with an onCancel.

import CooperativeCancellation

func size(_ sdk: SDK) async -> Int {
  await withAsyncValue {
    sdk.size($0)
  } onCancel: {
    print("cancelled")
  }
}
