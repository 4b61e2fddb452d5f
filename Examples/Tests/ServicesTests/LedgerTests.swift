import CallbackSequences
import CooperativeCancellation
import Testing

@testable import Services

@Suite("SQLite: a hook that C calls again and again", .watchdog) struct LedgerTests {
  private static func ledger() async throws -> Ledger {
    let ledger = try Ledger()
    try await ledger.execute("CREATE TABLE entry (amount)")
    return ledger
  }

  @Test func `each change is reported, and after the loop none`() async throws {
    let ledger = try await Self.ledger()
    #expect(try await ledger.firstChanges(2) == [1, 2])
    try await ledger.execute("INSERT INTO entry VALUES (1)")
    #expect(await !ledger.isObserved)
  }

  @Test
  func `who reads next takes the hook over, and the sequence of the one before ends`() async throws
  {
    let ledger = try await Self.ledger()
    let first = Task { await ledger.countAllChanges() }
    while await !ledger.isObserved { await Task.yield() }
    let second = Task { await ledger.countAllChanges() }
    // The first one ends because of the second, and nothing else ends it.
    #expect(await first.value == 0)
    #expect(await ledger.isObserved)
    second.cancel()
    _ = await second.value
    #expect(await !ledger.isObserved)
  }

  @Test func `two ledgers are one sequence, and a burst is one change`() async throws {
    let ledgers = (try await Self.ledger(), try await Self.ledger())
    let changes = await Ledger.changes(of: ledgers.0, and: ledgers.1)
    let writers = [ledgers.0, ledgers.1].map { ledger in
      Task {
        while !Task.isCancelled {
          try? await ledger.execute("INSERT INTO entry VALUES (1)")
          await Task.yield()
        }
      }
    }
    var count = 0
    for await change in changes {
      #expect(change.table == "entry")
      count += 1
      if count == 10 { break }
    }
    for writer in writers { writer.cancel() }
    for writer in writers { await writer.value }
    let ledger = ledgers.0
    // The loop that was left unregisters in a task.
    while await ledger.isObserved { await Task.yield() }
    let writer = Task {
      while await !ledger.isObserved { await Task.yield() }
      try await ledger.execute("INSERT INTO entry VALUES (1), (2), (3)")
    }
    for await change in await ledger.lastChanges(quietFor: .milliseconds(20)) {
      #expect(change.table == "entry")
      break
    }
    try await writer.value
  }
}

extension Ledger {
  /// Reads on this actor, and writes while it does.
  fileprivate func firstChanges(_ count: Int) async throws -> [Int64] {
    var rows: [Int64] = []
    let writer = Task {
      while !self.isObserved { await Task.yield() }
      for _ in 0..<count { try self.execute("INSERT INTO entry VALUES (1)") }
    }
    for await change in changes() {
      rows.append(change.row)
      if rows.count == count { break }
    }
    try await writer.value
    return rows
  }

  fileprivate func countAllChanges() async -> Int {
    var count = 0
    for await _ in changes() { count += 1 }
    return count
  }
}
