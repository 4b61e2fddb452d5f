import CooperativeCancellation
import FakeCallbackSDK
import Testing

/// What the machine decides is searched in every order, and tested over every form of sequence.
@Suite("The inbox, with many readers and elements", .watchdog)
struct InboxTests {
  @Test
  func `a reader takes nothing when another one was cancelled`() {
    var machine = InboxMachine<Int>(.unbounded)
    _ = machine.yield(1)
    _ = machine.cancel()
    let taken = machine.take()
    #expect(taken == nil)
  }

  private struct Sleeper: ErasedContinuation {
    let wake: @Sendable () -> Void
    func resume() { wake() }
  }

  @Test
  func `each of many sleeping readers is woken once, in order, with no lock held`() {
    let inbox = Inbox<Int>(.unbounded, onDiscard: nil)
    let woken = Protected<[Int]>([])
    func sleep(_ number: Int) {
      let sleeper = Sleeper {
        _ = inbox.take()
        woken.withLock { $0.append(number) }
      }
      inbox.keep(sleeper)
    }
    for number in 0..<50_000 { sleep(number) }
    _ = inbox.yield(1)
    #expect(woken.withLock { $0 } == [0])
    inbox.cancel()
    #expect(woken.withLock { $0 } == Array(0..<50_000))
    // This one comes too late to sleep.
    sleep(50_000)
    #expect(woken.withLock { $0.count } == 50_001)
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
