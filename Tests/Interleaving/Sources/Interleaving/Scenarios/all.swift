extension Scenario {
  static let all =
    controls + bridges + continuations + timeouts + lateRequests + checkpoints + cCallbacks
    + pendingCalls + turns + sharedCalls + events + bags + sequences + sharedSequences + streams
    + bagOrder
    + sharedStarts
    + sharedEnds
    + sharedPriorities
    // The last ones: they start recording, which cannot be stopped.
    + waitingCalls
}
