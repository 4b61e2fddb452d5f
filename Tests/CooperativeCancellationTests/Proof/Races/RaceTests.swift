import Foundation
import Testing

#if THREAD_SANITIZER
  private let usualRaces = 5_500
  private let often = 20
#elseif DEBUG
  private let usualRaces = 1_000
  private let often = 20
#else
  private let usualRaces = 20_000
  private let often = 100
#endif

/// Of each kind; `RACES=1000000` in the environment asks for more.
private let races = ProcessInfo.processInfo.environment["RACES"].flatMap(Int.init) ?? usualRaces

@Suite("Races on real threads", .serialized, .oneAtATime, .watchdog)
struct RaceTests {
  @Test(arguments: Race.all)
  func `every race ends in one of its outcomes, and none is lost or left`(race: Race) async {
    let count = race.hasTimeout ? races / 20 : races
    let result = await RaceTrack.run(race, count: count, often: often)
    print(result)
    if let failure = result.failure { Issue.record("\(failure)") }
  }
}

extension Race: CustomTestStringConvertible {
  var testDescription: String { name }
}
