import CooperativeCancellation
import Testing

private let many = 2_000
/// A binary search for each of them, and its share of the moves.
private let most = 20 * many
/// First first, last first, and at random.
private let orders: [[Int]] = {
  var random = SeededGenerator(seed: 1)
  return [Array(0..<many), (0..<many).reversed(), (0..<many).shuffled(using: &random)]
}()

/// Counts steps, because times differ from run to run.
@Suite("Costs that do not grow with what waits", .watchdog)
struct StepTests {
  @Test(arguments: orders.indices)
  func `a reader leaves a shared sequence`(order: Int) {
    var machine = HubMachine<Int, Int, Int>(.unbounded, replays: false)
    let numbers = (0..<many).map { machine.join($0) }
    for reader in orders[order] { #expect(machine.leave(numbers[reader]) == reader) }
    #expect(machine.readers.steps <= most && machine.readers.slots.capacity == 0)
  }
}
