import Testing

/// Of each kind.
private let races = tries(10_000)

@Suite("Races on real threads", .serialized, .oneAtATime, .watchdog, .ownThread)
struct RaceTests {
  @Test(arguments: Race.all)
  func `every race ends in one of its outcomes, and none is lost or left`(race: Race) {
    let count = race.hasTimeout ? races / 20 : races
    if let failure = RaceTrack(race).run(count: count, often: 20) { Issue.record("\(failure)") }
  }
}
