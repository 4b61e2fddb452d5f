import AsyncAlgorithms
import CooperativeCancellation

extension Ledger {
  /// The changes of two ledgers, in order of arrival.
  static func changes(
    of first: Ledger,
    and second: Ledger
  ) async -> some AsyncSequence<Change, Never> {
    await merge(first.changesForAll(), second.changesForAll())
  }

  /// The last change of each burst: a burst ends when there is no change for that long.
  func lastChanges(
    quietFor pause: Duration,
    clock: some Clock<Duration> = ContinuousClock()
  ) -> some AsyncSequence<Change, Never> & Sendable {
    changesForAll().debounce(for: pause, clock: clock)
  }
}
