import FakeCallbackSDK

/// An SDK that keeps every completion, and answers when told to. It does little, because it is
/// called a million times.
final class PatientSDK: Sendable {
  typealias Completion = @Sendable (Result<Int, any Error>) -> Void

  private let kept = Protected<[Completion]>([])
  private let cancelled = Protected(0)

  var cancels: Int { cancelled.withLock { $0 } }

  func begin(_ completion: @escaping Completion) { kept.withLock { $0.append(completion) } }

  func cancel() { cancelled.withLock { $0 += 1 } }

  func answerAll() {
    let completions = kept.withLock { kept in
      defer { kept = [] }
      return kept
    }
    for completion in completions { completion(.success(1)) }
  }
}
