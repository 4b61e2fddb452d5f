import CooperativeCancellation
import FakeCallbackSDK
import Testing

@Suite("InboxMachine", .watchdog)
struct InboxMachineTests {
  enum Step {
    case yield(Int)
    case finish
    case fail
    case cancel
    case next
    case take
    case abandon
  }

  /// What the machine says to each step.
  private func run(_ policy: BufferingPolicy = .unbounded, _ steps: Step...) -> [String] {
    var machine = InboxMachine<Int>(policy)
    return steps.map { step in
      switch step {
      case .yield(let element):
        let yielded = machine.yield(element)
        let surplus = yielded.surplus.map { ", discard \($0)" } ?? ""
        return (yielded.isOpen ? "goes on" : "terminated") + surplus
      case .finish: return machine.end(.finished) ? "wake" : "nothing"
      case .fail: return machine.end(.failed(SDKError.failed)) ? "wake" : "nothing"
      case .cancel: return machine.cancel() ? "wake" : "nothing"
      case .take: return machine.take().map { "\($0)" } ?? "nothing"
      case .abandon: return list(machine.abandon())
      case .next:
        switch machine.next() {
        case .element(let element): return "\(element)"
        case .nothing: return "nothing"
        case .ended(.finished): return "finished"
        case .ended(.failed): return "failed"
        case .cancelled(let unread): return "cancelled, \(list(unread))"
        case .over: return "over"
        }
      }
    }
  }

  private func list(_ unread: InboxMachine<Int>.Unread) -> String {
    var elements = unread.elements
    var all: [String] = []
    while let element = elements.popFirst() { all.append("\(element)") }
    return "left \(all)"
  }

  @Test
  func `while open, it delivers in order, and is empty in between`() {
    #expect(
      run(.unbounded, .next, .yield(1), .yield(2), .next, .take, .take, .next)
        == ["nothing", "goes on", "goes on", "1", "2", "nothing", "nothing"]
    )
  }

  @Test
  func `when full, it evicts the oldest or refuses the newest`() {
    #expect(
      run(.newest(2), .yield(1), .yield(2), .yield(3), .next, .next)
        == ["goes on", "goes on", "goes on, discard 1", "2", "3"]
    )
    #expect(
      run(.oldest(2), .yield(1), .yield(2), .yield(3), .next, .yield(4))
        == ["goes on", "goes on", "goes on, discard 3", "1", "goes on"]
    )
  }

  @Test
  func `when ending, it delivers what came before, refuses what comes after, and ends once`() {
    #expect(
      run(.newest(2), .yield(1), .finish, .yield(2), .fail, .take, .next, .next, .yield(3))
        == [
          "goes on", "wake", "terminated, discard 2", "nothing", "1", "finished", "over",
          "terminated, discard 3",
        ]
    )
    #expect(run(.newest(1), .fail, .finish, .next, .next) == ["wake", "nothing", "failed", "over"])
  }

  @Test
  func `when cancelled, it delivers nothing, and hands out what is left`() {
    #expect(
      run(.newest(2), .yield(1), .cancel, .take, .yield(2), .finish, .cancel, .next, .next)
        == [
          "goes on", "wake", "nothing", "terminated, discard 2", "nothing", "nothing",
          "cancelled, left [\"1\"]", "over",
        ]
    )
  }

  @Test
  func `a cancellation replaces an end behind elements, but not an end that is next`() {
    #expect(
      run(.newest(2), .yield(1), .fail, .cancel, .next, .next)
        == ["goes on", "wake", "wake", "cancelled, left [\"1\"]", "over"]
    )
    #expect(run(.newest(2), .fail, .cancel, .next) == ["wake", "nothing", "failed"])
  }

  @Test
  func `when abandoned, it hands out what is left and refuses what comes`() {
    #expect(
      run(.newest(2), .yield(1), .yield(2), .abandon, .yield(3), .cancel, .finish, .abandon, .next)
        == [
          "goes on", "goes on", "left [\"1\", \"2\"]", "terminated, discard 3", "nothing",
          "nothing", "left []", "over",
        ]
    )
  }

  private struct Sleeper: ErasedContinuation {
    let wake: @Sendable () -> Void
    func resume() { wake() }
  }

  @Test
  func `each of many sleeping readers is woken once, in order, with no lock held`() {
    let inbox = Shared(Inbox<Int>(.unbounded, onDiscard: nil))
    let woken = Protected<[Int]>([])
    func sleep(_ number: Int) {
      let sleeper = Sleeper {
        _ = inbox.contents.take()
        woken.withLock { $0.append(number) }
      }
      inbox.contents.sleep(sleeper)
    }
    for number in 0..<50_000 { sleep(number) }
    _ = inbox.contents.yield(1)
    #expect(woken.withLock { $0 } == [0])
    inbox.contents.cancel()
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
