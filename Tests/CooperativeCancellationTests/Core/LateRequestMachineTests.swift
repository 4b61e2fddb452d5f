import CooperativeCancellation
import Testing

@Suite("LateRequestMachine", .watchdog)
struct LateRequestMachineTests {
  private var machine = LateRequestMachine<Int>()

  @Test
  mutating func `only the first cancellation counts`() {
    #expect(machine.arrive(1) == false)
    #expect(machine.arrive(2) == false)
    #expect(machine.cancel() == [1, 2])
    #expect(machine.cancel() == [])
    #expect(machine.arrive(3) == true)
  }

  @Test
  mutating func `a cancellation outlives the wait`() {
    #expect(machine.cancel() == [])
    #expect(machine.end() == [])
    #expect(machine.arrive(1) == true)
    #expect(machine.arrive(2) == true)
  }

  @Test
  mutating func `after a wait without a cancellation, nothing is kept and nothing is cancelled`() {
    #expect(machine.arrive(1) == false)
    #expect(machine.end() == [1])
    #expect(machine.arrive(2) == false)
    #expect(machine.cancel() == [])
    #expect(machine.arrive(3) == false)
    #expect(machine.end() == [])
  }

  /// Longer than the watchdog's time, if each arrival copied the requests before it.
  @Test
  func `many requests are kept in linear time`() {
    var machine = LateRequestMachine<Signal>()
    let request = Signal()
    for _ in 0..<500_000 { _ = machine.arrive(request) }
    #expect(machine.cancel().count == 500_000)
  }
}
