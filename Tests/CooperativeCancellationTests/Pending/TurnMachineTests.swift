import CooperativeCancellation
import Testing

@Suite("The turns of calls without ids")
struct TurnMachineTests {
  private var machine = TurnMachine()

  private func wait() -> Wait { Wait(response: .abandonCallback) }

  /// Begins the call whose turn it is. Returns its number.
  private mutating func begin() throws -> Int {
    guard case .call(let number) = machine.begin(wait(), onDiscard: nil) else {
      throw CancellationError()
    }
    return number
  }

  /// Asks for a turn that another call has. Returns the number in the queue.
  private mutating func queue() throws -> Int {
    guard case .queued(let number) = machine.ask(wait()) else {
      throw CancellationError()
    }
    return number
  }

  @Test
  mutating func `a call that was answered and then throws does not pass on the next one's turn`()
    throws
  {
    _ = machine.ask(wait())
    let first = try begin()
    _ = try queue()
    _ = machine.take(carrier(of: 1))
    let second = try begin()
    _ = machine.fail(first)
    #expect(machine.count == 1)
    _ = machine.fail(second)
    #expect(machine.count == 0)
  }

  @Test
  mutating func `calls that leave the middle of the queue are released`() throws {
    _ = machine.ask(wait())
    _ = try begin()
    let numbers = try (0..<100).map { _ in try queue() }
    let released = numbers.dropFirst().reduce(0) { $0 + machine.leave($1).count }
    #expect(released > 90)
    #expect(machine.count == 2)
  }
}
