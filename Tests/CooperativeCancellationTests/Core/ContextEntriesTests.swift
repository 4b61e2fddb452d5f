import CooperativeCancellation
import MallocStatistics
import Testing

@Suite("ContextEntries", .watchdog)
struct ContextEntriesTests {
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
    var last = ContextEntries(first: 0 &- 16, step: 16)
    #expect(last.add(entry) == 16, "zero would be no pointer")
  }

  @Test
  mutating func `a removed number does not find the next entry in its slot`() {
    let old = entries.add(entry)
    #expect(entries.remove(old) === entry)
    for _ in 0..<100 {
      let other = Entry()
      let number = entries.add(other)
      #expect(entries.entry(for: old) == nil)
      #expect(entries.remove(old) == nil)
      #expect(entries.entry(for: number) === other)
      #expect(entries.remove(number) === other)
    }
  }

  @Test
  mutating func `an entry that stays keeps its slot when the numbers wrap around`() {
    let staying = entries.add(entry)
    for _ in 0..<100 {
      let number = entries.add(Entry())
      _ = entries.remove(number)
    }
    #expect(entries.entry(for: staying) === entry)
  }

  @Test(arguments: [1, 2, 3, 10, 1_000, 4_096])
  mutating func `entries that stay are found when others come and go`(stride: Int) {
    let all = (0..<10_000).map { _ in Entry() }
    let numbers = all.map { entries.add($0) }
    #expect(Set(numbers).count == all.count)
    for (position, number) in numbers.enumerated() where position % stride != 0 {
      #expect(entries.remove(number) === all[position])
    }
    for (position, number) in numbers.enumerated() {
      let found = entries.entry(for: number)
      #expect(position % stride == 0 ? found === all[position] : found == nil)
    }
    let more = entries.add(entry)
    #expect(entries.entry(for: more) === entry)
  }

  @Test(.enabled(if: mallocCounts))
  func `released contexts keep no storage, although one context stays`() async {
    // A process of its own, because other tests use memory too.
    await #expect(processExitsWith: .success) {
      let staying = CallbackContext(isRepeating: true) { () -> Int32 in 1 }
      let before = malloc_bytes_in_use()
      do {
        let contexts = (0..<100_000).map { _ in CallbackContext { (_: Int32) in } }
        for context in contexts { context.release() }
      }
      #expect(malloc_bytes_in_use() - before < 200_000)
      #expect(CallbackContext.call(staying.pointer, otherwise: Int32(0)) == 1)
    }
  }
}
