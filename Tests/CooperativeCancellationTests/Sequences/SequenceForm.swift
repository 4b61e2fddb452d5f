import CooperativeCancellation
import FakeCallbackSDK
import Testing

/// What one `next()` gave, in words that all forms share.
enum Reading: Hashable, Sendable {
  /// Songs, by their titles; a form without elements gives "".
  case element(String)
  case end
  case failure(SDKError)
  case cancelled
  case other(String)
}

/// A half-read sequence, whatever its type. Not `Sendable`, like its iterator.
struct Reader {
  /// Runs where the caller is.
  let next: () async -> Reading

  init<Sequence: AsyncSequence>(
    _ watch: SequenceWatch,
    _ sequence: Sequence,
    _ title: @escaping (Sequence.Element) -> String
  ) {
    if watch.leavesTheActor {
      self.init(LeavingTheActor(base: sequence), title)
    } else {
      self.init(sequence, title)
    }
  }

  init<Sequence: AsyncSequence>(
    _ sequence: Sequence,
    _ title: @escaping (Sequence.Element) -> String
  ) {
    var iterator = sequence.makeAsyncIterator()
    next = {
      do {
        return try await iterator.next(isolation: #isolation).map { .element(title($0)) } ?? .end
      } catch let error as SDKError {
        return .failure(error)
      } catch is CancellationError {
        return .cancelled
      } catch {
        return .other("\(error)")
      }
    }
  }
}

/// An operator like many others: with `next()`, and without `next(isolation:)`.
struct LeavingTheActor<Base: AsyncSequence>: AsyncSequence {
  typealias Element = Base.Element

  struct AsyncIterator: AsyncIteratorProtocol {
    var base: Base.AsyncIterator

    @concurrent
    mutating func next() async throws -> Base.Element? {
      try await base.next()
    }
  }

  let base: Base

  func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(base: base.makeAsyncIterator())
  }
}

/// A public initializer, wrapped so that one suite of laws runs over all of them: a new overload is one more element
/// of ``all``.
struct SequenceForm: Sendable, CustomTestStringConvertible {
  let testDescription: String
  var throwing = false
  /// Whether the SDK can say that it has finished.
  var finishes = false
  /// Whether the SDK can fail.
  var fails = false
  /// Whether an element is an object, which can be counted and discarded.
  var carriesSongs = true
  var songsPerElement = 1
  /// Whether the SDK hears what becomes of each element.
  var answers = false

  let read: @Sendable (FakeStation, SequenceWatch, isolated (any Actor)?) -> Reader

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

extension SequenceForm {
  static let elements = SequenceForm(testDescription: "elements") { station, watch, isolation in
    Reader(
      watch,
      AsyncCallbackSequence(buffering: watch.policy, isolation: isolation) { yield in
        watch.subscribe { station.addListener(yield) }
      } onTermination: {
        watch.terminate($0)
      } onDiscard: {
        watch.discard($0.title)
      },
      \.title
    )
  }

  static let elementsAndFinish = SequenceForm(
    testDescription: "elements and a finish",
    finishes: true
  ) { station, watch, isolation in
    Reader(
      watch,
      AsyncCallbackSequence(buffering: watch.policy, isolation: isolation) { yield, finish in
        watch.subscribe { station.listen(yield, end: finish) }
      } onTermination: {
        watch.terminate($0)
      } onDiscard: {
        watch.discard($0.title)
      },
      \.title
    )
  }

  static let nothing = SequenceForm(testDescription: "nothing", carriesSongs: false) {
    station,
    watch,
    isolation in
    Reader(
      watch,
      AsyncCallbackSequence(buffering: watch.policy, isolation: isolation) { yield in
        watch.subscribe { station.onChange(yield) }
      } onTermination: {
        watch.terminate($0)
      }
    ) { "" }
  }

  static let twoValues = SequenceForm(testDescription: "two values", songsPerElement: 2) {
    station,
    watch,
    isolation in
    Reader(
      watch,
      AsyncCallbackSequence(buffering: watch.policy, isolation: isolation) { yield in
        watch.subscribe { station.addDuet(yield) }
      } onTermination: {
        watch.terminate($0)
      } onDiscard: {
        watch.discard("\($0.title)+\($1.title)")
      }
    ) { "\($0.title)+\($1.title)" }
  }

  static let answering = SequenceForm(testDescription: "elements, answered", answers: true) {
    station,
    watch,
    isolation in
    Reader(
      watch,
      AsyncCallbackSequence(buffering: watch.policy, isolation: isolation) { yield in
        watch.subscribe { station.scan { yield($0) != .terminated } }
      } onTermination: {
        watch.terminate($0)
      } onDiscard: {
        watch.discard($0.title)
      },
      \.title
    )
  }

  static let answeringAndFinish = SequenceForm(
    testDescription: "elements, answered, and a finish",
    finishes: true,
    answers: true
  ) { station, watch, isolation in
    Reader(
      watch,
      AsyncCallbackSequence(buffering: watch.policy, isolation: isolation) { yield, finish in
        watch.subscribe { station.scan({ yield($0) != .terminated }, end: { _ in finish() }) }
      } onTermination: {
        watch.terminate($0)
      } onDiscard: {
        watch.discard($0.title)
      },
      \.title
    )
  }
}

extension SequenceForm {
  static let results = SequenceForm(testDescription: "Result", throwing: true, fails: true) {
    station,
    watch,
    isolation in
    Reader(
      watch,
      AsyncThrowingCallbackSequence(buffering: watch.policy, isolation: isolation) { yield in
        try watch.trySubscribe { station.addResults(yield) }
      } onTermination: {
        watch.terminate($0)
      } onDiscard: {
        watch.discard($0.title)
      },
      \.title
    )
  }

  static let valueAndError = SequenceForm(
    testDescription: "value and error",
    throwing: true,
    fails: true
  ) { station, watch, isolation in
    Reader(
      watch,
      AsyncThrowingCallbackSequence(buffering: watch.policy, isolation: isolation) { yield in
        try watch.trySubscribe { station.addSnapshots(yield) }
      } onTermination: {
        watch.terminate($0)
      } onDiscard: {
        watch.discard($0.title)
      },
      \.title
    )
  }

  static let elementsAndEnd = SequenceForm(
    testDescription: "elements and an end with or without an error",
    throwing: true,
    finishes: true,
    fails: true
  ) { station, watch, isolation in
    Reader(
      watch,
      AsyncThrowingCallbackSequence(buffering: watch.policy, isolation: isolation) {
        yield,
        finish in
        try watch.trySubscribe { station.stream(yield, completion: finish) }
      } onTermination: {
        watch.terminate($0)
      } onDiscard: {
        watch.discard($0.title)
      },
      \.title
    )
  }

  static let threeClosures = SequenceForm(
    testDescription: "next, failed and finished",
    throwing: true,
    finishes: true,
    fails: true
  ) { station, watch, isolation in
    Reader(
      watch,
      AsyncThrowingCallbackSequence(buffering: watch.policy, isolation: isolation) {
        next,
        failed,
        finished in
        try watch.trySubscribe {
          station.subscribe(next: next, failed: failed, finished: finished)
        }
      } onTermination: {
        watch.terminate($0)
      } onDiscard: {
        watch.discard($0.title)
      },
      \.title
    )
  }

  static let throwingElements = SequenceForm(testDescription: "throwing, elements", throwing: true)
  {
    station,
    watch,
    isolation in
    Reader(
      watch,
      AsyncThrowingCallbackSequence(buffering: watch.policy, isolation: isolation) { yield in
        try watch.trySubscribe { station.addListener(yield) }
      } onTermination: {
        watch.terminate($0)
      } onDiscard: {
        watch.discard($0.title)
      },
      \.title
    )
  }

  static let throwingElementsAndFinish = SequenceForm(
    testDescription: "throwing, elements and a finish",
    throwing: true,
    finishes: true
  ) { station, watch, isolation in
    Reader(
      watch,
      AsyncThrowingCallbackSequence(buffering: watch.policy, isolation: isolation) {
        (yield, finish: @escaping @Sendable () -> Void) in
        try watch.trySubscribe { station.listen(yield, end: finish) }
      } onTermination: {
        watch.terminate($0)
      } onDiscard: {
        watch.discard($0.title)
      },
      \.title
    )
  }

  static let throwingNothing = SequenceForm(
    testDescription: "throwing, nothing",
    throwing: true,
    carriesSongs: false
  ) { station, watch, isolation in
    Reader(
      watch,
      AsyncThrowingCallbackSequence(buffering: watch.policy, isolation: isolation) { yield in
        try watch.trySubscribe { station.onChange(yield) }
      } onTermination: {
        watch.terminate($0)
      }
    ) { "" }
  }

  static let throwingTwoValues = SequenceForm(
    testDescription: "throwing, two values",
    throwing: true,
    songsPerElement: 2
  ) { station, watch, isolation in
    Reader(
      watch,
      AsyncThrowingCallbackSequence(buffering: watch.policy, isolation: isolation) { yield in
        try watch.trySubscribe { station.addDuet(yield) }
      } onTermination: {
        watch.terminate($0)
      } onDiscard: {
        watch.discard("\($0.title)+\($1.title)")
      }
    ) { "\($0.title)+\($1.title)" }
  }

  static let throwingAnswering = SequenceForm(
    testDescription: "throwing, elements, answered, and an end",
    throwing: true,
    finishes: true,
    fails: true,
    answers: true
  ) { station, watch, isolation in
    Reader(
      watch,
      AsyncThrowingCallbackSequence(buffering: watch.policy, isolation: isolation) {
        yield,
        finish in
        try watch.trySubscribe { station.scan({ yield($0) != .terminated }, end: finish) }
      } onTermination: {
        watch.terminate($0)
      } onDiscard: {
        watch.discard($0.title)
      },
      \.title
    )
  }
}

extension SequenceForm {
  static let made = SequenceForm(
    testDescription: "Sendable, made for each iterator",
    finishes: true
  ) {
    station,
    watch,
    isolation in
    let mast = station.mast
    return Reader(
      watch,
      SendableCallbackSequence {
        AsyncCallbackSequence(buffering: watch.policy) { yield, finish in
          watch.subscribe { FakeStation(mast).listen(yield, end: finish) }
        } onTermination: {
          watch.terminate($0)
        } onDiscard: {
          watch.discard($0.title)
        }
      },
      \.title
    )
  }

  static let throwingMade = SequenceForm(
    testDescription: "throwing, Sendable, made for each iterator",
    throwing: true,
    finishes: true,
    fails: true
  ) { station, watch, isolation in
    let mast = station.mast
    return Reader(
      watch,
      SendableThrowingCallbackSequence {
        AsyncThrowingCallbackSequence(buffering: watch.policy) { yield, finish in
          try watch.trySubscribe { FakeStation(mast).stream(yield, completion: finish) }
        } onTermination: {
          watch.terminate($0)
        } onDiscard: {
          watch.discard($0.title)
        }
      },
      \.title
    )
  }
}
