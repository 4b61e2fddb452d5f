import CooperativeCancellation
import Testing

@Suite("LateRequestMachine")
struct LateRequestMachineTests {
  private var machine = LateRequestMachine<Int, String>()

  @Test
  mutating func `requests that came first are cancelled at once`() {
    #expect(machine.arrive(1) == nil)
    #expect(machine.arrive(2) == nil)
    #expect(machine.cancel("cancel") == [1, 2])
  }

  @Test
  mutating func `a request that comes later meets the cancellation, each of them`() {
    #expect(machine.cancel("cancel") == [])
    #expect(machine.arrive(1) == "cancel")
    #expect(machine.arrive(2) == "cancel")
  }

  @Test
  mutating func `only the first cancellation counts`() {
    #expect(machine.arrive(1) == nil)
    #expect(machine.cancel("first") == [1])
    #expect(machine.cancel("second") == [])
    #expect(machine.arrive(2) == "first")
  }

  @Test
  mutating func `a cancellation outlives the wait`() {
    #expect(machine.cancel("cancel") == [])
    #expect(machine.end() == [])
    #expect(machine.arrive(1) == "cancel")
  }

  @Test
  mutating func `after a wait without a cancellation nothing is kept and nothing is cancelled`() {
    #expect(machine.arrive(1) == nil)
    #expect(machine.end() == [1])
    #expect(machine.arrive(2) == nil)
    #expect(machine.cancel("cancel") == [])
    #expect(machine.arrive(3) == nil)
    #expect(machine.end() == [])
  }
}
