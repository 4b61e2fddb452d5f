import LegacySDK

extension [Comparison] {
  /// All rows, in the order of the table.
  static func everything(on loop: Loop) -> [Comparison] {
    .synchronousAnswer(on: loop) + .suspension(on: loop) + .cancellation(on: loop)
      + .completionShapes(on: loop) + .allocations(on: loop) + .pendingWaits(on: loop)
      + .checkpoints(on: loop) + .taskLifetimes(on: loop) + .twoThreads()
  }
}
