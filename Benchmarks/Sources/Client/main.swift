// One bridge and a checkpoint, for `.ci/run`: the size, and what is said of the limits of the
// environment.
import CooperativeCancellation

try checkpoint()
let value: Int = try await withAsyncThrowingValue { completion in
  Task { completion(.success(1)) }
}
print(value)
