extension CrossActorCallbackSequence {
  /// Returns a sequence whose readers share one registration.
  ///
  /// ```swift
  /// isOnline = AsyncCallbackSequence(buffering: .newest(1)) { yield in
  ///   monitor.onChange = yield
  ///   yield(monitor.isOnline)
  /// } onTermination: {
  ///   monitor.onChange = nil
  /// }.sendable().shared(replayingLatest: true)
  /// ```
  ///
  /// The first reader has the sequence registered, and the last one to leave has it unregistered, soon after. A
  /// registration begins when the one before has been ended, so an SDK with one slot for a handler is safe. All readers
  /// receive all elements, in the same order, each through a buffer of its own; the end and the error reach all. A later
  /// reader registers anew.
  ///
  /// Both closures run on the sequence's home; if it has none, on no actor. The elements belong to all readers, so
  /// `onDiscard` is not called: share no elements that must be closed.
  ///
  /// - Parameter replayingLatest: Whether a new reader begins with the latest element of the present registration, if
  ///   there is one: for a state.
  public func shared(replayingLatest: Bool = false) -> Self {
    let hub = Hub(source, replays: replayingLatest)
    let shared = source()
    let (policy, callSite) = (shared.policy, shared.callSite)
    return Self { Source(policy, nil, callSite, .inPlace(hub.begin)) }
  }
}
