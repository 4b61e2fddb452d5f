import CooperativeCancellation

extension CancellationResponse {
  /// Those to which a cancellation matters.
  static let heeding: [Self] = [.abandonCallback, .waitForCallback, .deliverResult]

  var heeds: Bool { self != .ignoreCancellation }

  /// Whether an interruption ends the wait without the SDK's answer.
  var endsAtOnce: Bool { self == .abandonCallback || self == .ignoreCancellation }

  /// Whether an answer is delivered although the task is cancelled.
  var delivers: Bool { self == .deliverResult || self == .ignoreCancellation }

  /// What interrupts a wait with this response.
  var interruption: Interruption { heeds ? .cancelled : .timedOut }
}
