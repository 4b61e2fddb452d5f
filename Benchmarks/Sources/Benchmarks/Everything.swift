import LegacySDK

extension [Comparison] {
  /// All rows, in the order of the table.
  static func everything(on loop: Loop) -> [Comparison] {
    .oneCall(on: loop) + .twoThreads() + .cancellation(on: loop) + .pending()
      + .allocations(on: loop) + .sequences(on: loop) + .waits(on: loop)
  }
}
