import CooperativeCancellation
import FakeCallbackSDK
import MallocStatistics
import Testing

@Suite("TaskRegistry", .watchdog)
struct TaskRegistryTests {
  private var registry = TaskRegistry()
  private let told = Protected<[Int]>([])

  private mutating func reserve() throws -> Int {
    let slot = registry.reserve()
    return try #require(slot)
  }

  private mutating func finish(_ slot: Int) {
    for handler in registry.finish(slot).endHandlers { handler.completion(.success) }
  }

  private mutating func wait(_ number: Int) throws -> Int {
    let token = registry.wait(
      TaskRegistry.EndHandler { [told] _ in told.withLock { $0.append(number) } }
    )
    return try #require(token)
  }

  @Test
  mutating func `those who wait are told once, in order, when the last task has ended`() throws {
    let (first, second) = (try reserve(), try reserve())
    let tokens = try (0...20).map { try wait($0) }
    let handler = registry.stopWaiting(tokens[0])
    #expect(handler != nil)
    finish(second)
    #expect(told.withLock { $0 } == [])
    finish(first)
    #expect(told.withLock { $0 } == Array(1...20), "but for the one that has left")
    finish(try reserve())
    #expect(told.withLock { $0 } == Array(1...20))
  }

  @Test
  mutating func `slots at the end are freed, although one before them is in use`() throws {
    let (id, task) = (HashedID("kept"), Task {}.erased())
    let slots = try (0..<1_000).map { _ in try reserve() }
    let reservation = registry.reserve(id: id)
    let kept = try #require(reservation?.slot)
    let others = try (0..<1_000).map { _ in try reserve() }
    for slot in slots + [kept] + others { _ = registry.start(slot, .given(task)) }
    for slot in slots + others { finish(slot) }

    let next = try reserve()
    #expect(next < kept, "those after it are gone, those before it are used again")
    let holders = registry.holders(ofHash: id.hash)
    #expect(registry.cancel(holders)?.count == 1)
    finish(next)
    finish(kept)
    #expect(registry.count == 0)
  }

  @Test
  mutating func `a former holder of an id, in a slot that was freed, is not found`() throws {
    let task = Task {}.erased()
    let slots = try (0..<1_000).map { number in
      let reservation = registry.reserve(id: HashedID(number))
      return try #require(reservation?.slot)
    }
    let last = registry.holders(ofHash: HashedID(999).hash)
    #expect(last.map(\.slot) == [999])
    for slot in slots { _ = registry.start(slot, .given(task)) }
    for slot in slots { finish(slot) }
    #expect(registry.cancel(last) == nil)
    let next = registry.reserve(id: HashedID(999))
    let slot = try #require(next?.slot)
    #expect(registry.cancel(last) == nil, "a later task with this id is not among them")
    let isWithdrawn = registry.withdraw(slot, ifThereIsOneOf: last)
    #expect(!isWithdrawn)
  }

  @Test
  mutating func `of several ids with one hash, one is found when the others have gone`() throws {
    struct Colliding: Hashable {
      let name: String
      func hash(into hasher: inout Hasher) {}
    }
    let ids = ["a", "b", "c"].map { HashedID(Colliding(name: $0)) }
    let slots = try ids.map { id in
      let reservation = registry.reserve(id: id)
      return try #require(reservation?.slot)
    }
    let task = Task {}.erased()
    for slot in slots { _ = registry.start(slot, .given(task)) }
    for slot in slots.dropFirst().reversed() { finish(slot) }
    #expect(try reserve() == slots[1], "a slot of theirs is used again")
    #expect(registry.holders(ofHash: ids[0].hash).map(\.slot) == [slots[0]])
  }

  @Test
  mutating func `the slot of a task that is withdrawn is used again`() throws {
    let id = HashedID("load")
    _ = registry.reserve(id: id)
    let second = registry.reserve(id: HashedID("load"))
    let (slot, others) = try #require(second)
    let isWithdrawn = registry.withdraw(slot, ifThereIsOneOf: others)
    #expect(isWithdrawn)
    #expect(try reserve() == slot)
  }

  @Test
  func `ids of a type with its own hash value are spread over the lists`() {
    struct Aligned: Hashable {
      let number: Int
      var hashValue: Int { number &* 65_536 }
      func hash(into hasher: inout Hasher) { hasher.combine(hashValue) }
    }
    // The low bits pick the list. Of 8 192 lists, 5 178 are expected to have an id.
    let lists = Set((0..<8_192).map { HashedID(Aligned(number: $0)).hash & 8_191 })
    #expect(lists.count > 4_000)
  }

  @Test(.enabled(if: mallocCounts))
  func `without tasks, it keeps little storage`() async {
    // A process of its own, because other tests use memory too.
    await #expect(processExitsWith: .success) {
      var registry = TaskRegistry()
      let task = Task {}.erased()
      func run(_ count: Int) throws {
        let slots = try (0..<count).map { number in
          guard let (slot, _) = registry.reserve(id: HashedID(number)) else {
            throw CancellationError()
          }
          return slot
        }
        for slot in slots { _ = registry.start(slot, .given(task)) }
        for slot in slots { _ = registry.finish(slot) }
      }
      try run(10)
      let before = malloc_bytes_in_use()
      try run(20_000)
      #expect(registry.count == 0)
      #expect(malloc_bytes_in_use() - before < 50_000)
    }
  }
}
