import CCallbacks
import CooperativeCancellation
import Testing

@Suite("ContextEntries", .watchdog) struct ContextEntriesTests {
  private final class Entry: ContextEntry {
    let isRepeating = true
    let callSite = CallSite()
    static var type: Any.Type { Entry.self }
  }

  private var entries = ContextEntries(first: 0, step: 16)
  private let entry = Entry()

  @Test
  mutating func `a number fits its part, is not zero, and is not used again`() {
    var numbers: Set<UInt> = []
    for _ in 0..<1_000 {
      let number = entries.add(entry)
      #expect(number % 16 == 0 && number != 0)
      let (isNew, _) = numbers.insert(number)
      #expect(isNew)
      #expect(entries.remove(number) === entry)
    }
    var last = ContextEntries(first: 0 &- 32, step: 16)
    let staying = [last.add(entry), last.add(entry)]
    #expect(staying == [0 &- 16, 16], "zero would be no pointer")
    last = ContextEntries(first: 0, step: 1 << 63)
    let taken = last.add(entry)
    #expect(last.remove(taken) === entry && last.add(entry) == taken, "they wrap around")
  }
}
