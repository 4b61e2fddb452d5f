import Foundation

/// What the parts of a name say: `addSnapshotListener` is `add`, `snapshot`, `listener`.
///
/// Text has no types, so names decide where a type would. Each list says why it exists, and the
/// tests try every word of it.
///
/// | what is so named | is then |
/// |---|---|
/// | a function or label that says `repeatedly` or `event` | allowed to call its closure without an answer, and again |
/// | a closure's parameter that says `part` | the same |
/// | a tested value, or a case, that says `state` | a reason to do nothing |
/// | a function that says `atOnce` | a part of the paths around it, not a callback |
/// | a type that says `fake` | not checked for completion handlers |
/// | a call that says `end`, or a variable that says `progress` | a reason for a caller to depend on its handler |
/// | a receiver that shares a word with a type, but none of `roles` | of this type |
/// | what a type inherits that says `requirements` | a reason for an SDK to call its methods |
struct Words {
  private let name: String
  private let words: Set<Substring>

  init(_ name: String) {
    self.name = name
    words = Set(Self.parts(of: name).map { $0[...] })
  }

  static func parts(of name: String) -> Set<String> {
    let spaced = name.reduce(into: "") { $0 += ($1.isUppercase ? "_" : "") + $1.lowercased() }
    return Set(spaced.split { "_.".contains($0) }.map(String.init))
  }

  private func says(_ list: Set<Substring>) -> Bool { !words.isDisjoint(with: list) }

  /// A closure with this name is called once.
  var saysOnce: Bool { says(Self.once) }

  /// A function with this name may call its closure again and again.
  var saysRepeatedly: Bool { saysEvents || !saysOnce && says(Self.handler) }

  /// A function with this name hears of something that happens again and again.
  var saysEvents: Bool {
    let isEvent = name.hasPrefix("on") && name.dropFirst(2).first?.isUppercase == true
    return says(Self.repeatedly)
      || says(Self.event) && !Self.asks.contains(name.prefix { $0.isLowercase })
      || !saysOnce && isEvent && !says(Self.outcome)
  }

  /// A value with this name may say that the call has been answered, or is no longer wanted; a
  /// case, that the SDK has not finished.
  var saysState: Bool {
    // What comes from a cache comes once more.
    says(Self.state) || saysBusy || saysPast || words.isSuperset(of: ["from", "cache"])
  }

  /// `didSignOut` is a flag.
  private var saysPast: Bool {
    name.hasPrefix("did") && name.dropFirst(3).first?.isUppercase == true
  }

  /// `isFetching` and `sendingBug` do, `loadWithoutFetching` does not.
  private var saysBusy: Bool {
    Self.busy.contains { name.hasPrefix($0) || name.hasPrefix("is" + $0.capitalized) }
  }

  /// A call of this ends something: the wait of a group or a publisher, a spinner, a view.
  var saysEnd: Bool { says(Self.end) }

  /// The same, unless a success may be meant.
  var saysWait: Bool { says(Self.wait) }

  /// A variable with this name says whether something has ended.
  var saysProgress: Bool { says(Self.progress) || words.contains { $0.hasSuffix("ing") } }

  /// A type that conforms to this has methods that an SDK calls.
  var saysRequirements: Bool { says(Self.requirements) }

  /// A call with this name leaves a note in a log, or stops a debug build. `login` and `showDialog`
  /// do not.
  var saysLog: Bool { says(Self.log) }

  /// A value with this name tells what has gone wrong.
  var saysError: Bool { says(["error"]) }

  /// A case with this name is an end, not a step.
  var saysFailure: Bool { says(Self.failure) }

  /// A parameter with this name is a function, whatever its type is called.
  static func namesHandler(_ name: String) -> Bool {
    ["Handler", "Callback", "Block", "Closure"].contains(where: name.hasSuffix)
  }

  /// A closure that takes this takes one of several.
  var saysPart: Bool { says(Self.part) }

  /// A function with this name runs its closure before it returns.
  var saysAtOnce: Bool {
    Self.atOnce.contains(name) || words.contains("with") && says(Self.scoped)
  }

  /// The type stands in for another, and leaves out what a test does not need.
  var saysFake: Bool { says(Self.fake) }
}

extension Words {
  private static func list(_ words: String) -> Set<Substring> {
    Set(words.split(whereSeparator: \.isWhitespace))
  }

  /// By convention, Cocoa's completion handlers are called once.
  static let once = list("completion complete completed reply finish finished failure")

  /// Observers, timers and the functions of collections.
  static let repeatedly = list(
    """
    sink observe observer observers observing listen listener listening subscribe subscription
    subscriber updates monitor monitoring watch timer publisher enumerate stream poll repeat each
    delegate recognition map filter reduce sorted always register track announce broadcast buffer
    """
  )

  /// Listeners are named after what they hear of. A function that asks for it gets one answer.
  static let event = list(
    "event events snapshot changed changes progress state status notify notification"
  )
  static let asks: Set<Substring> = [
    "get", "fetch", "load", "request", "perform", "check", "save", "send",
  ]

  /// Kept closures, unless their name says once.
  static let handler = list("handler when")

  /// `onSuccess` and its kind are answers; any other `on` is an event.
  static let outcome = list("success error done result main queue")

  /// Flags that guard against a second answer, answers that come in steps, and calls that are made
  /// once at a time.
  static let state = list(
    """
    eof resumed finished completed once settled claim claimed exchange resolved fulfilled called done
    returned fired processed handled degraded disposed responded replied answered cancelled
    canceled invalidated stopped active terminated final pending take inserted lock try timed
    expired delivered closed released progress connecting waiting loading preparing setup idle
    updated partial started running uploading downloading began ready starting continue processing
    purchasing deferred scanning disconnecting resetting scheduled queued next stop stopping end ended last batch more
    opened open presented flight busy quality degraded
    """
  )

  /// What is done once at a time.
  static let busy = list("sending fetching refreshing presenting showing saving syncing logging")

  static let failure = list(
    "error errors fail failed failure denied restricted rejected refused invalid none unknown missing"
  )

  /// With a handler for successes only, what follows a success is no wait.
  static let wait = list(
    """
    leave signal fulfill resume unlock reject resolve seal promise observer single subscriber
    continuation expectation loader loading spinner hud
    """
  )
  static let end = wait.union(
    list(
      """
      finish finished complete completed completion end ended stop hide dismiss done close subject
      callback handler reply respond indicator progress
      """
    )
  )

  /// What is set when something has ended, beside words such as `loading`.
  static let progress = list("busy progress flight state status phase enabled")

  /// Many types of a project are one of these, so the word tells none of them from the others.
  static let roles: Set = [
    "service", "services", "manager", "controller", "provider", "client", "store", "repository",
    "helper", "model", "view", "network", "networking", "worker", "handler", "util", "utils",
    "interactor", "presenter", "shared",
  ]

  static let requirements = list("delegate source provider extension handling")

  static let log = list("log logs logger logging print debug breadcrumb assert assertion")

  /// Audio, video and network data come in pieces, and the last one is empty.
  static let part = list(
    "buffer chunk sample partial packet event channel delegate observer listener"
  )

  /// Synchronous functions of Dispatch, Core Data and Foundation.
  static let atOnce: Set = ["sync", "autoreleasepool", "assumeIsolated", "performAndWait"]

  /// `withLock` and all that opens a value for a closure.
  static let scoped = list("lock locked mutex value state critical lifetime pointer bytes")

  static let fake = list("mock mocks mocked fake stub spy dummy preview previews test tests")

  /// A closure that ends its own registration, or that looks at whether it gets a draft, is called
  /// more than once.
  static let ends: Set = [
    "invalidate", "removeObserver", "removeListener", "PHImageResultIsDegradedKey",
  ]
}
