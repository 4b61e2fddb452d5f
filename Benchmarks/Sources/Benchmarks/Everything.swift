import LegacySDK

extension [Comparison] {
  /// All rows, in the order of the table.
  static func everything(on loop: Loop) -> [Comparison] {
    .oneCall(on: loop) + .twoThreads() + .timeouts(on: loop) + .cancellation(on: loop)
      + .completionShapes(on: loop) + .allocations(on: loop) + .checkpoints(on: loop)
      + .pendingCalls(on: loop) + .taskLifetimes(on: loop) + .sequences(on: loop)
      + .waits(on: loop)
  }
}
