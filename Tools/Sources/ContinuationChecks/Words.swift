/// What the parts of a name say: `addSnapshotListener` is `add`, `snapshot`, `listener`.
struct Words {
  private let name: String
  private let words: Set<Substring>

  init(_ name: String) {
    self.name = name
    let spaced = name.reduce(into: "") { $0 += ($1.isUppercase ? "_" : "") + $1.lowercased() }
    words = Set(spaced.split(separator: "_"))
  }

  private func has(_ list: String) -> Bool {
    !words.isDisjoint(with: list.split(whereSeparator: \.isWhitespace))
  }

  /// A closure with this name is called once.
  var saysOnce: Bool { has("completion complete completed reply finish finished failure") }

  /// A function with this name may call its closure again and again.
  var saysRepeatedly: Bool {
    let asks: [Substring] = ["get", "fetch", "load", "request", "perform", "check", "save", "send"]
    let saysEvent = name.hasPrefix("on") && name.dropFirst(2).first?.isUppercase == true
    return has(
      """
      sink observe observer observers observing listen listener listening subscribe subscription
      subscriber updates monitor monitoring watch timer publisher enumerate stream poll repeat each
      delegate recognition map filter reduce sorted always register track announce broadcast
      """
    )
      || has("event events snapshot changed changes progress state status notify notification")
        && !asks.contains(name.prefix { $0.isLowercase })
      || !saysOnce
        && (has("handler when") || saysEvent && !has("success error done result main queue"))
  }

  /// A value with this name may say that the call has been answered, or is no longer wanted; a
  /// case, that the SDK has not finished.
  var saysState: Bool {
    has(
      """
      eof resumed finished completed once settled claim claimed exchange resolved fulfilled called done
      returned fired processed handled degraded disposed responded replied answered cancelled
      canceled invalidated stopped active terminated final pending take inserted lock try timed
      expired delivered closed released progress connecting waiting loading preparing setup idle
      updated partial started running uploading downloading began ready starting continue processing
      purchasing deferred scanning disconnecting resetting scheduled queued next
      """
    )
  }

  /// A function with this name runs its closure before it returns.
  var saysAtOnce: Bool {
    ["sync", "autoreleasepool", "assumeIsolated", "performAndWait"].contains(name)
      || has("with") && has("lock locked mutex value state critical lifetime pointer bytes")
  }

  /// The type stands in for another, and leaves out what a test does not need.
  var saysFake: Bool { has("mock mocks mocked fake stub spy dummy preview previews test tests") }
}
