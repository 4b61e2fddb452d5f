/// What the parts of a name say: `addSnapshotListener` is `add`, `snapshot`, `listener`.
struct Words {
  private let words: Set<String>
  private let name: String

  init(_ name: String) {
    self.name = name
    var words: [String] = []
    for character in name {
      if character.isUppercase || words.isEmpty { words.append("") }
      if character != "_" { words[words.count - 1] += character.lowercased() }
    }
    self.words = Set(words)
  }

  private func overlaps(_ others: Set<String>) -> Bool { !words.isDisjoint(with: others) }

  /// A closure with this name is called once.
  var saysOnce: Bool {
    overlaps(["completion", "complete", "completed", "reply", "finish", "finished", "failure"])
  }

  /// A function with this name may call its closure again and again.
  var saysRepeatedly: Bool {
    let once = ["success", "error", "done", "result", "main", "queue"]
    return overlaps([
      "sink", "observe", "observer", "observers", "observing", "listen", "listener", "listening",
      "subscribe", "subscription", "subscriber", "updates", "monitor", "monitoring", "watch",
      "timer", "event", "events", "snapshot", "publisher", "changed", "changes", "enumerate",
      "stream", "progress", "poll", "repeat", "each", "delegate", "state", "status", "notify",
      "notification", "recognition", "handler", "register", "track",
    ])
      || (name.hasPrefix("on") && name.dropFirst(2).first?.isUppercase == true
        && !overlaps(Set(once)) && !saysOnce)
  }

  /// A case with this name says that the SDK has not finished.
  var saysUnfinished: Bool {
    overlaps([
      "progress", "connecting", "waiting", "pending", "loading", "preparing", "setup", "idle",
      "update", "updated", "partial", "started", "running", "uploading", "downloading", "began",
      "ready", "initial", "starting", "continue", "processing", "purchasing", "deferred",
      "scanning", "disconnecting", "resetting", "scheduled", "queued", "next",
    ])
  }

  /// A value with this name may say that the call has been answered, or is no longer wanted.
  var saysAnswered: Bool {
    overlaps([
      "resumed", "finished", "completed", "once", "settled", "claim", "claimed", "exchange",
      "resolved", "fulfilled", "called", "done", "returned", "fired", "processed", "handled",
      "degraded", "disposed", "responded", "replied", "answered", "cancelled", "canceled",
      "invalidated", "stopped", "active", "terminated", "final", "pending", "take",
      "inserted", "lock", "try", "timed", "expired", "delivered", "closed", "released",
    ])
  }

  /// A function with this name runs its closure before it returns.
  var saysAtOnce: Bool {
    if ["sync", "autoreleasepool", "assumeIsolated", "performAndWait"].contains(name) {
      return true
    }
    return overlaps(["with"])
      && overlaps([
        "lock", "locked", "mutex", "value", "state", "critical", "lifetime", "pointer", "bytes",
      ])
  }
}
