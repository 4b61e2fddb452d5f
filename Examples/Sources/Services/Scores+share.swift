import AsyncAlgorithms
import CooperativeCancellation

extension Scores {
  /// The same for any number of readers, with one observation of the database.
  func sharedBest(_ count: Int) -> some AsyncSequence<[Score], any Error> & Sendable {
    SendableThrowingCallbackSequence { self.best(count) }.share(
      bufferingPolicy: .bufferingLatest(1)
    )
  }
}
