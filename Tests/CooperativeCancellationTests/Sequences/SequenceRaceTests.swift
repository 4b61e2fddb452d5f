import CallbackSequences
import CooperativeCancellation
import CooperativeCancellationTesting
import FakeCallbackSDK
import Testing

private let races = tries(5_000)

/// Two threads that do something to one subscription at the same moment.
struct SequenceRace: Sendable, CustomTestStringConvertible {
  let testDescription: String
  var policy = BufferingPolicy.unbounded
  var limit = Int.max
  let first: [SequenceStep]
  let second: [SequenceStep]
  /// What the reader may see. Each must occur.
  let outcomes: Set<[Reading]>
  /// What it may also see, if a thread is held up between two instructions.
  var seldom: Set<[Reading]> = []

  static let all = [
    SequenceRace(
      testDescription: "element against cancellation",
      first: [.play, .run],
      second: [.cancel],
      outcomes: [[.element("1"), .cancelled], [.cancelled]]
    ),
    SequenceRace(
      testDescription: "finish against cancellation",
      first: [.end, .run],
      second: [.cancel],
      outcomes: [[.end], [.cancelled]]
    ),
    SequenceRace(
      testDescription: "element against finish",
      first: [.play, .run],
      second: [.end],
      outcomes: [[.element("1"), .end], [.end]]
    ),
    SequenceRace(
      testDescription: "element against element, of which one fits",
      policy: .newest(1),
      first: [.play, .run],
      second: [.play],
      outcomes: [[.element("1"), .element("2"), .cancelled], [.element("2"), .cancelled]],
      seldom: [[.element("2"), .element("1"), .cancelled], [.element("1"), .cancelled]]
    ),
    SequenceRace(
      testDescription: "element, finish and cancellation",
      first: [.play, .run, .end, .run],
      second: [.cancel],
      outcomes: [[.element("1"), .end], [.cancelled]],
      seldom: [[.element("1"), .cancelled]]
    ),
    SequenceRace(
      testDescription: "element against a reader that leaves",
      limit: 1,
      first: [.play, .run],
      second: [.play],
      outcomes: [[.element("1")]],
      seldom: [[.element("2")]]
    ),
  ]
}

@Suite("Sequences: races on real threads", .serialized, .oneAtATime, .watchdog, .ownThread)
struct SequenceRaceTests {
  @Test(arguments: SequenceRace.all)
  func `every race ends in one of its outcomes, and nothing is lost or left`(race: SequenceRace) {
    var split = Split(of: race.outcomes)
    var random = SystemRandomNumberGenerator()
    while split.goesOn(for: races, often: 5) {
      let mast = Mast()
      let watch = SequenceWatch(race.policy)
      let read = TestRead(.elementsAndEnd, mast, watch, limit: race.limit)
      read.perform(.run)
      let pauses = [Pause(using: &random), Pause(using: &random)]
      raceTwo { side in
        for step in side == 0 ? race.first : race.second {
          pauses[side].pass()
          read.perform(step)
        }
      }
      read.perform(.run, .cancel, .run, .release)
      let readings = read.readings
      split[readings] += 1
      let delivered = readings.count { if case .element = $0 { true } else { false } }
      guard race.outcomes.union(race.seldom).contains(readings), watch.terminated == 1,
        mast.songsAlive.count == 0, mast.made == delivered + watch.discarded.count
      else {
        let songs = "\(mast.made) sent, \(mast.songsAlive.count) alive"
        Issue.record("\(split): \(readings), \(watch.events), \(songs)")
        return
      }
    }
    let readings = "\(split)".replacing("CooperativeCancellationTests.Reading.", with: "")
    print("\(race.testDescription): \(readings)")
  }
}
