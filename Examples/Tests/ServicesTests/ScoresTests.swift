import CooperativeCancellation
import Testing

@testable import Services

@Suite("GRDB: a value observation", .watchdog)
struct ScoresTests {
  @Test
  func `the best come at once, and again after a change`() async throws {
    let scores = try Scores()
    try scores.save(.init(player: "Ann", points: 7))
    var seen: [[String]] = []
    for try await best in scores.best(2) {
      seen.append(best.map(\.player))
      switch seen.count {
      case 1: try scores.save(.init(player: "Bob", points: 9))
      default: break
      }
      if best.first?.player == "Bob" { break }
    }
    #expect(seen == [["Ann"], ["Bob", "Ann"]])
  }

  @Test
  func `cancelling the reader throws, and ends the observation`() async throws {
    let scores = try Scores()
    let isReading = Signal()
    let task = Task {
      for try await _ in scores.best(1) { isReading.fire() }
    }
    await isReading.wait()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}
