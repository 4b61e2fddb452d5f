import Testing

/// Of each kind.
private let races = tries(10_000)

@Suite("Races on real threads", .serialized, .oneAtATime, .watchdog)
struct RaceTests {
  @Test(arguments: Race.all)
  func `every race ends in one of its outcomes, and none is lost or left`(race: Race) async {
    let count = race.hasTimeout ? races / 20 : races
    let result = await RaceTrack.run(race, count: count, often: 20)
    print(result)
    if let failure = result.failure { Issue.record("\(failure)") }
  }
}

extension Race: CustomTestStringConvertible {
  var testDescription: String { name }
}
