extension SendableCallbackSequence {
  /// Returns a sequence whose readers share one registration.
  ///
  /// ```swift
  /// isOnline = AsyncCallbackSequence(buffering: .newest(1)) { yield in
  ///   monitor.onChange = yield  // Registered.
  ///   var isOnline: Bool
  ///   repeat {
  ///     isOnline = monitor.isOnline
  ///     yield(isOnline)
  ///   } while isOnline != monitor.isOnline  // If it changed meanwhile, read it again.
  /// } onTermination: {
  ///   monitor.onChange = nil
  /// }.sendable().shared(replayingLatest: true)
  /// ```
  ///
  /// The sequence registers for the first reader, and unregisters soon after the last one leaves. A
  /// registration begins when the previous one has ended, so an SDK with one slot is safe. All
  /// readers receive all elements, in the same order, each through its own buffer; the end or the
  /// error reaches all of them. A later reader registers again.
  ///
  /// Both closures run on the sequence's home; if it has none, on no actor. The elements belong to
  /// all readers, so `onDiscard` is not called. Do not share elements that must be closed.
  ///
  /// - Parameter replayingLatest: Whether a new reader begins with the registration's latest
  ///   element: for a state.
  public func shared(replayingLatest: Bool = false) -> Self {
    let shared = source()
    let policy = shared.policy
    let callSite = shared.callSite
    let hub = Hub(source, policy, replays: replayingLatest)
    return Self(
      { Source(policy: policy, discard: nil, callSite: callSite, start: .inPlace(hub.begin)) },
      sharedBy: hub
    )
  }
}
