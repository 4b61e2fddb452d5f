import Synchronization
import Testing

@testable import Services

@Suite("SQLite", .watchdog) struct DatabaseTests {
  @Test func `rows come one by one, NULL as nil`() async throws {
    let database = try Database(path: ":memory:")
    try await database.execute("CREATE TABLE pet (name, age); INSERT INTO pet VALUES ('Rex', NULL)")
    let rows = Mutex<[[String?]]>([])
    try await database.execute("SELECT name, age FROM pet UNION ALL SELECT 'Tom', 7") { row in
      rows.withLock { $0.append(row) }
    }
    #expect(rows.withLock { $0 } == [["Rex", nil], ["Tom", "7"]])
  }

  @Test func `an error has SQLite's message`() async throws {
    let database = try Database(path: ":memory:")
    let error = await #expect(throws: DatabaseError.self) { try await database.execute("SELEC 1") }
    #expect(error?.message == #"near "SELEC": syntax error"#)
  }

  @Test func `cancelling interrupts a query that would never end, and the connection works on`()
    async throws
  {
    let database = try Database(path: ":memory:")
    let hasBegun = Signal()
    let task = Task {
      try await database.execute(
        """
        WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number)
        SELECT 'begun' UNION ALL SELECT count(*) FROM number
        """
      ) { _ in hasBegun.fire() }
    }
    await hasBegun.wait()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }

    let hasAnswered = Signal()
    try await database.execute("SELECT 1") { _ in hasAnswered.fire() }
    await hasAnswered.wait()
  }
}
