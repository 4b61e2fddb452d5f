import Testing

#if THREAD_SANITIZER
  private let races = 5_500
  private let often = 20
#elseif DEBUG
  private let races = 1_000
  private let often = 20
#else
  private let races = 105_000
  private let often = 100
#endif

@Suite("Races on real threads", .serialized, .watchdog)
struct RaceTests {
  @Test(arguments: Race.all)
  func `every race ends in one of its outcomes, and none is lost or left`(race: Race) async {
    let count = race.hasTimeout ? races / 20 : races
    let limit = count * (race.hasTimeout ? 100 : 10)
    let result = await RaceTrack.run(race, count: count, often: often, limit: limit)
    print(result)
    if let failure = result.failure { Issue.record("\(failure)") }
    #expect(result.rarest >= often, "a race in which an outcome hardly occurs proves little")
  }
}

extension Race: CustomTestStringConvertible {
  var testDescription: String { name }
}
