import LegacySDK

extension [Comparison] {
  /// All rows, in the order of the table.
  static func everything(on loop: Loop) -> [Comparison] {
    .synchronousAnswer(on: loop)
      + .suspension(on: loop) + .timeouts(on: loop) + .cancellation(on: loop)
      + .completionShapes(on: loop) + .allocations(on: loop) + .checkpoints(on: loop)
      + .pendingCalls(on: loop) + .taskLifetimes(on: loop) + .sequences(on: loop) + .twoThreads()
      // The last, because a million waits leave the heap in pieces.
      + .pendingWaits(on: loop)
  }
}
