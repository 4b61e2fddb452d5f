import FakeCallbackSDK

/// What one `next()` gave, in words that all forms share.
enum Reading: Hashable, Sendable {
  /// Songs, by their titles; a form without elements gives "".
  case element(String)
  case end
  case failure(SDKError)
  case cancelled
  case other(String)
}

/// A half-read sequence, whatever its type. Not `Sendable`, like its iterator.
struct Reader {
  /// Runs where the caller is.
  let next: () async -> Reading

  init<Sequence: AsyncSequence>(
    _ sequence: Sequence,
    _ title: @escaping (Sequence.Element) -> String
  ) {
    var iterator = sequence.makeAsyncIterator()
    next = {
      do {
        return try await iterator.next(isolation: #isolation).map { .element(title($0)) } ?? .end
      } catch let error as SDKError {
        return .failure(error)
      } catch is CancellationError {
        return .cancelled
      } catch {
        return .other("\(error)")
      }
    }
  }
}

/// An operator like many others: with `next()`, and without `next(isolation:)`.
struct LeavingTheActor<Base: AsyncSequence>: AsyncSequence {
  typealias Element = Base.Element

  struct AsyncIterator: AsyncIteratorProtocol {
    var base: Base.AsyncIterator

    @concurrent
    mutating func next() async throws -> Base.Element? { try await base.next() }
  }

  let base: Base

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(base: base.makeAsyncIterator()) }
}
