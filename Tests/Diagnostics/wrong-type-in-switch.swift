// A branch of a switch passes a value of another type.

import CooperativeCancellation

func name(_ sdk: SDK) async throws -> String {
  try await withAsyncThrowingValue { completion in
    sdk.load { result in
      switch result {
      case .success(let user): completion(.success(user))
      case .failure(let error): completion(.failure(error))
      }
    }
  }
}
