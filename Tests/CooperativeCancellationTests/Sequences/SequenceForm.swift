import CooperativeCancellation
import FakeCallbackSDK
import Testing

/// A public initializer, wrapped so that one suite of laws runs over all of them: a new overload is one more element
/// of ``all``.
struct SequenceForm: Sendable, CustomTestStringConvertible {
  enum Trait {
    case throwing
    /// The SDK can say that it has finished.
    case finishes
    /// The SDK can fail.
    case fails
    /// An element is no object, which could be counted and discarded.
    case withoutSongs
    case twoSongs
    /// The SDK hears what becomes of each element.
    case answers
  }

  let testDescription: String
  private let traits: Set<Trait>
  let read: @Sendable (FakeStation, SequenceWatch, isolated (any Actor)?) -> Reader

  /// Each form makes its sequence with an initializer of its own.
  init<Songs: AsyncSequence & SendableMetatype>(
    _ testDescription: String,
    _ title: @escaping @Sendable (Songs.Element) -> String,
    _ traits: Trait...,
    songs: @escaping @Sendable (FakeStation, SequenceWatch, isolated (any Actor)?) -> Songs
  ) {
    self.testDescription = testDescription
    self.traits = Set(traits)
    read = { Reader($1, songs($0, $1, $2), title) }
  }

  var throwing: Bool { traits.contains(.throwing) }
  var finishes: Bool { traits.contains(.finishes) }
  var fails: Bool { traits.contains(.fails) }
  var carriesSongs: Bool { !traits.contains(.withoutSongs) }
  var songsPerElement: Int { traits.contains(.twoSongs) ? 2 : 1 }
  var answers: Bool { traits.contains(.answers) }

  static let all = plain + throwingForms + crossing
  static let plain = [
    elements, elementsAndFinish, nothing, twoValues, answering, answeringAndFinish,
  ]
  static let throwingForms = [
    results, valueAndError, elementsAndEnd, threeClosures, throwingElements,
    throwingElementsAndFinish,
    throwingNothing, throwingTwoValues, throwingAnswering,
  ]
  static let crossing = [made, throwingMade]

  /// What a reader receives if its task is cancelled.
  var cancelled: Reading { throwing ? .cancelled : .end }

  /// What a reader receives if the SDK fails; an SDK that cannot fail finishes.
  var failed: Reading { fails ? .failure(.failed) : .end }

  /// The element that carries the song of that number, if all before it were received.
  func element(_ number: Int) -> Reading {
    guard carriesSongs else { return .element("") }
    guard songsPerElement == 2 else { return .element("\(number)") }
    return .element("\(2 * number - 1)+\(2 * number)")
  }
}

// A table, as in BridgeForm+throwing.swift.
// swift-format-ignore
extension SequenceForm {
  // Sequences that cannot fail.

  static let elements = SequenceForm("elements", \.title) { station, watch, isolation in
    AsyncCallbackSequence(buffering: watch.policy, isolation: isolation) { yield in
      watch.subscribe { station.addListener(yield) }
    } onTermination: { watch.terminate($0) } onDiscard: { watch.discard($0.title) }
  }

  static let elementsAndFinish = SequenceForm("elements and a finish", \.title, .finishes) {
    station, watch, isolation in
    AsyncCallbackSequence(buffering: watch.policy, isolation: isolation) { yield, finish in
      watch.subscribe { station.listen(yield, end: finish) }
    } onTermination: { watch.terminate($0) } onDiscard: { watch.discard($0.title) }
  }

  static let nothing = SequenceForm("nothing", { "" }, .withoutSongs) { station, watch, isolation in
    AsyncCallbackSequence(buffering: watch.policy, isolation: isolation) { yield in
      watch.subscribe { station.onChange(yield) }
    } onTermination: { watch.terminate($0) }
  }

  static let twoValues = SequenceForm("two values", { "\($0.title)+\($1.title)" }, .twoSongs) {
    station, watch, isolation in
    AsyncCallbackSequence(buffering: watch.policy, isolation: isolation) { yield in
      watch.subscribe { station.addDuet(yield) }
    } onTermination: { watch.terminate($0) } onDiscard: { watch.discard("\($0.title)+\($1.title)") }
  }

  static let answering = SequenceForm("elements, answered", \.title, .answers) {
    station, watch, isolation in
    AsyncCallbackSequence(buffering: watch.policy, isolation: isolation) { yield in
      watch.subscribe { station.scan { yield($0) != .terminated } }
    } onTermination: { watch.terminate($0) } onDiscard: { watch.discard($0.title) }
  }

  static let answeringAndFinish = SequenceForm(
    "elements, answered, and a finish", \.title, .finishes, .answers
  ) { station, watch, isolation in
    AsyncCallbackSequence(buffering: watch.policy, isolation: isolation) { yield, finish in
      watch.subscribe { station.scan({ yield($0) != .terminated }, end: { _ in finish() }) }
    } onTermination: { watch.terminate($0) } onDiscard: { watch.discard($0.title) }
  }

  // Sequences that throw.

  static let results = SequenceForm("Result", \.title, .throwing, .fails) {
    station, watch, isolation in
    AsyncThrowingCallbackSequence(buffering: watch.policy, isolation: isolation) { yield in
      try watch.trySubscribe { station.addResults(yield) }
    } onTermination: { watch.terminate($0) } onDiscard: { watch.discard($0.title) }
  }

  static let valueAndError = SequenceForm("value and error", \.title, .throwing, .fails) {
    station, watch, isolation in
    AsyncThrowingCallbackSequence(buffering: watch.policy, isolation: isolation) { yield in
      try watch.trySubscribe { station.addSnapshots(yield) }
    } onTermination: { watch.terminate($0) } onDiscard: { watch.discard($0.title) }
  }

  static let elementsAndEnd = SequenceForm(
    "elements and an end with or without an error", \.title, .throwing, .finishes, .fails
  ) { station, watch, isolation in
    AsyncThrowingCallbackSequence(buffering: watch.policy, isolation: isolation) { yield, finish in
      try watch.trySubscribe { station.stream(yield, completion: finish) }
    } onTermination: { watch.terminate($0) } onDiscard: { watch.discard($0.title) }
  }

  static let threeClosures = SequenceForm(
    "next, failed and finished", \.title, .throwing, .finishes, .fails
  ) { station, watch, isolation in
    AsyncThrowingCallbackSequence(buffering: watch.policy, isolation: isolation) {
      next, failed, finished in
      try watch.trySubscribe { station.subscribe(next: next, failed: failed, finished: finished) }
    } onTermination: { watch.terminate($0) } onDiscard: { watch.discard($0.title) }
  }

  static let throwingElements = SequenceForm("throwing, elements", \.title, .throwing) {
    station, watch, isolation in
    AsyncThrowingCallbackSequence(buffering: watch.policy, isolation: isolation) { yield in
      try watch.trySubscribe { station.addListener(yield) }
    } onTermination: { watch.terminate($0) } onDiscard: { watch.discard($0.title) }
  }

  static let throwingElementsAndFinish = SequenceForm(
    "throwing, elements and a finish", \.title, .throwing, .finishes
  ) { station, watch, isolation in
    AsyncThrowingCallbackSequence(buffering: watch.policy, isolation: isolation) {
      (yield, finish: @escaping @Sendable () -> Void) in
      try watch.trySubscribe { station.listen(yield, end: finish) }
    } onTermination: { watch.terminate($0) } onDiscard: { watch.discard($0.title) }
  }

  static let throwingNothing = SequenceForm("throwing, nothing", { "" }, .throwing, .withoutSongs) {
    station, watch, isolation in
    AsyncThrowingCallbackSequence(buffering: watch.policy, isolation: isolation) { yield in
      try watch.trySubscribe { station.onChange(yield) }
    } onTermination: { watch.terminate($0) }
  }

  static let throwingTwoValues = SequenceForm(
    "throwing, two values", { "\($0.title)+\($1.title)" }, .throwing, .twoSongs
  ) { station, watch, isolation in
    AsyncThrowingCallbackSequence(buffering: watch.policy, isolation: isolation) { yield in
      try watch.trySubscribe { station.addDuet(yield) }
    } onTermination: { watch.terminate($0) } onDiscard: { watch.discard("\($0.title)+\($1.title)") }
  }

  static let throwingAnswering = SequenceForm(
    "throwing, elements, answered, and an end", \.title, .throwing, .finishes, .fails, .answers
  ) { station, watch, isolation in
    AsyncThrowingCallbackSequence(buffering: watch.policy, isolation: isolation) { yield, finish in
      try watch.trySubscribe { station.scan({ yield($0) != .terminated }, end: finish) }
    } onTermination: { watch.terminate($0) } onDiscard: { watch.discard($0.title) }
  }

  // Sequences that cross isolation.

  static let made = SequenceForm("Sendable, made for each iterator", \.title, .finishes) {
    station, watch, isolation in
    let mast = station.mast
    return SendableCallbackSequence {
      AsyncCallbackSequence(buffering: watch.policy) { yield, finish in
        watch.subscribe { FakeStation(mast).listen(yield, end: finish) }
      } onTermination: { watch.terminate($0) } onDiscard: { watch.discard($0.title) }
    }
  }

  static let throwingMade = SequenceForm(
    "throwing, Sendable, made for each iterator", \.title, .throwing, .finishes, .fails
  ) { station, watch, isolation in
    let mast = station.mast
    return SendableThrowingCallbackSequence {
      AsyncThrowingCallbackSequence(buffering: watch.policy) { yield, finish in
        try watch.trySubscribe { FakeStation(mast).stream(yield, completion: finish) }
      } onTermination: { watch.terminate($0) } onDiscard: { watch.discard($0.title) }
    }
  }
}
