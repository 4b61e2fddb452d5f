// A success without a value, where nothing says that there is none.

import CooperativeCancellation

func ready(_ sdk: SDK) async throws {
  try await withAsyncThrowingValue { completion in
    sdk.save { error in
      if let error { completion(.failure(error)) } else { completion(.success()) }
    }
  }
}
