import CallbackSequences
import CooperativeCancellation
import Testing

/// What the machine decides is searched in every order, and tested over every form of sequence.
@Suite("The inbox, with a cancelled reader, and with many elements", .watchdog) struct InboxTests {
  @Test func `a reader takes nothing when another one was cancelled`() {
    var machine = InboxMachine<Int>(.unbounded)
    _ = machine.yield(1)
    _ = machine.cancel()
    let taken = machine.take()
    #expect(taken == nil)
  }

  @Test(arguments: [1, 2, 3, 5, 1_000])
  func `the buffer stays a queue when it grows, wraps around and shrinks`(capacity: Int) {
    var random = SeededGenerator(seed: UInt64(capacity))
    var buffer = ElementBuffer<Int>()
    var model: [Int] = []
    for number in 0..<5_000 {
      // In waves, so that it fills and empties.
      let mayAppend =
        model.count < capacity && Int.random(in: 0...1_000, using: &random) < 500 + number / 5 % 400
      if mayAppend {
        buffer.append(number, capacity: capacity)
        model.append(number)
      } else {
        #expect(buffer.popFirst() == (model.isEmpty ? nil : model.removeFirst()))
      }
      #expect(buffer.count == model.count)
    }
    while let element = buffer.popFirst() { #expect(element == model.removeFirst()) }
    #expect(model.isEmpty)
    #expect(buffer.slots.count <= ElementBuffer<Int>.kept)
  }
}
