import CCallbacks
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
    var last = ContextEntries(first: 0 &- 32, step: 16)
    let staying = [last.add(entry), last.add(entry)]
    #expect(staying == [0 &- 16, 16], "zero would be no pointer")
    last = ContextEntries(first: 0, step: 1 << 63)
    let taken = last.add(entry)
    #expect(last.remove(taken) === entry && last.add(entry) == taken, "they wrap around")
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
