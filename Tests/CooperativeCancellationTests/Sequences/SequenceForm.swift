import CallbackSequences
import CooperativeCancellation
import FakeCallbackSDK
import Testing

/// A public initializer, wrapped so that one suite of guarantees runs over all of them: a new
/// overload is one more element of ``all``.
struct SequenceForm: Sendable, CustomTestStringConvertible {
  enum Trait {
    /// The sequence throws any error.
    case throwing
    /// The registration may throw.
    case refuses
    /// The SDK can say that it has finished.
    case finishes
    /// The SDK can fail.
    case fails
    /// An element is no object, which could be counted and discarded.
    case withoutSongs
    case twoSongs
    /// The SDK hears whether to go on.
    case answers
  }

  let testDescription: String
  private let traits: Set<Trait>
  let read: @Sendable (FakeStation, SequenceWatch, isolated (any Actor)?) -> Reader

  /// Each form makes its sequence with an initializer of its own.
  init<Songs: AsyncSequence & SendableMetatype>(
    _ testDescription: String,
    _ traits: Set<Trait>,
    _ title: @escaping @Sendable (Songs.Element) -> String,
    songs: @escaping @Sendable (FakeStation, SequenceWatch, isolated (any Actor)?) -> Songs
  ) {
    self.testDescription = testDescription
    self.traits = traits
    read = { station, watch, isolation in
      let songs = songs(station, watch, isolation)
      return watch.leavesTheActor
        ? Reader(LeavingTheActor(base: songs), title) : Reader(songs, title)
    }
  }

  var throwing: Bool { traits.contains(.throwing) }
  var refuses: Bool { traits.contains(.refuses) || throwing }
  var finishes: Bool { traits.contains(.finishes) }
  var fails: Bool { traits.contains(.fails) }
  var carriesSongs: Bool { !traits.contains(.withoutSongs) }
  var songsPerElement: Int { carriesSongs ? traits.contains(.twoSongs) ? 2 : 1 : 0 }
  var answers: Bool { traits.contains(.answers) }

  static let all = local + crossing
  static let local =
    shapes(Never.self, "", []) + shapes((any Error).self, "throwing, ", [.throwing])
    + shapes(SDKError.self, "throwing an SDKError, ", [.refuses]).prefix(2) + throwing

  /// What a reader receives if its task is cancelled.
  var cancelled: Reading { throwing ? .cancelled : .end }

  /// What a reader receives if the SDK fails; an SDK that cannot fail finishes.
  var failed: Reading { fails ? .failure(.failed) : .end }

  /// The element that carries the song of that number, if all before it were received.
  func element(_ number: Int) -> Reading {
    switch songsPerElement {
    case 0: .element("")
    case 1: .element("\(number)")
    default: .element("\(2 * number - 1)+\(2 * number)")
    }
  }
}

// A table, as in BridgeForm+shapes.swift.
// swift-format-ignore
extension SequenceForm {
  // SDKs that cannot fail.

  private static func shapes<Failure: Error>(
    _ failure: Failure.Type, _ name: String, _ traits: Set<Trait>
  ) -> [SequenceForm] {
    [
      SequenceForm(name + "elements", traits, \.title) { station, watch, isolation in
        CallbackSequence<Song, Failure>(
          buffering: watch.policy, isolation: isolation, line: watch.line
        ) { yield throws(Failure) in
          try watch.subscribe(failure) { station.addListener(yield) }
        } onTermination: { watch.terminate($0) } onDiscard: { watch.discard($0.title) }
      },
      SequenceForm(name + "elements and a finish", traits.union([.finishes]), \.title) {
        finishing(failure, $0.mast, $1, $2)
      },
      SequenceForm(name + "nothing", traits.union([.withoutSongs]), { "" }) {
        station, watch, isolation in
        CallbackSequence<Void, Failure>(
          buffering: watch.policy, isolation: isolation, line: watch.line
        ) { yield throws(Failure) in
          try watch.subscribe(failure) { station.onChange(yield) }
        } onTermination: { watch.terminate($0) }
      },
      SequenceForm(name + "two values", traits.union([.twoSongs]), { "\($0.title)+\($1.title)" }) {
        station, watch, isolation in
        CallbackSequence<(Song, Song), Failure>(
          buffering: watch.policy, isolation: isolation, line: watch.line
        ) { yield throws(Failure) in
          try watch.subscribe(failure) { station.addDuet { yield(($0, $1)) } }
        } onTermination: {
          watch.terminate($0)
        } onDiscard: {
          watch.discard("\($0.0.title)+\($0.1.title)")
        }
      },
      SequenceForm(name + "elements, answered", traits.union([.answers]), \.title) {
        station, watch, isolation in
        CallbackSequence<Song, Failure>(
          buffering: watch.policy, isolation: isolation, line: watch.line
        ) { yield throws(Failure) in
          try watch.subscribe(failure) { station.scan(yield) }
        } onTermination: { watch.terminate($0) } onDiscard: { watch.discard($0.title) }
      },
    ]
  }

  static func finishing<Failure: Error>(
    _ failure: Failure.Type, _ mast: Mast, _ watch: SequenceWatch,
    _ isolation: isolated (any Actor)?
  ) -> CallbackSequence<Song, Failure> {
    CallbackSequence(
      buffering: watch.policy, isolation: isolation, line: watch.line
    ) { yield, finish throws(Failure) in
      try watch.subscribe(failure) { FakeStation(mast).listen(yield, end: finish) }
    } onTermination: { watch.terminate($0) } onDiscard: { watch.discard($0.title) }
  }

  // SDKs that can fail.

  static let elementsAndEnd = SequenceForm(
    "elements and an end with or without an error", [.throwing, .finishes, .fails], \.title
  ) { failing($0.mast, $1, $2) }

  static func failing(
    _ mast: Mast, _ watch: SequenceWatch, _ isolation: isolated (any Actor)?
  ) -> AsyncThrowingCallbackSequence<Song> {
    AsyncThrowingCallbackSequence(
      buffering: watch.policy, isolation: isolation, line: watch.line
    ) { yield, finish in
      try watch.subscribe { FakeStation(mast).stream(yield, completion: finish) }
    } onTermination: { watch.terminate($0) } onDiscard: { watch.discard($0.title) }
  }

  private static let throwing = [
    elementsAndEnd,
    SequenceForm("Result", [.throwing, .fails], \.title) { station, watch, isolation in
      AsyncThrowingCallbackSequence(
        buffering: watch.policy, isolation: isolation, line: watch.line
      ) { yield in
        try watch.subscribe { station.addResults(yield) }
      } onTermination: { watch.terminate($0) } onDiscard: { watch.discard($0.title) }
    },
    SequenceForm("value and error", [.throwing, .fails], \.title) { station, watch, isolation in
      AsyncThrowingCallbackSequence(
        buffering: watch.policy, isolation: isolation, line: watch.line
      ) { yield in
        try watch.subscribe { station.addSnapshots(yield) }
      } onTermination: { watch.terminate($0) } onDiscard: { watch.discard($0.title) }
    },
  ]

  // Sequences that cross isolation.

  private static let crossing = [
    SequenceForm("Sendable, made for each iterator", [.finishes], \.title) { station, watch, _ in
      SendableCallbackSequence { [mast = station.mast] in finishing(Never.self, mast, watch, nil) }
    },
    SequenceForm(
      "throwing, Sendable, made for each iterator", [.throwing, .finishes, .fails], \.title
    ) { station, watch, _ in
      SendableCallbackSequence { [mast = station.mast] in failing(mast, watch, nil) }
    },
  ]
}
