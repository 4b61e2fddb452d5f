import CCallbacks
import CSQLite
import CooperativeCancellation
import Dispatch
import Synchronization

/// An SQLite database. A cancellation interrupts the running statement.
final class Database: Sendable {
  private let connection: Mutex<Connection>
  /// Statements wait for their turn here, so that they block one thread in all.
  private let queue = DispatchQueue(label: "Database")

  init(path: String) throws { connection = Mutex(try Connection(path: path)) }

  /// Runs statements after those that were added earlier.
  ///
  /// Throws `CancellationError` only if SQLite interrupted the statements. If they finish before
  /// SQLite notices the cancellation, this returns: a change that was stored is never reported as
  /// cancelled.
  ///
  /// - Parameter onRow: Receives each row, on the database's queue.
  func execute(
    _ sql: String,
    onRow: @escaping @Sendable ([String?]) -> Void = { _ in }
  ) async throws {
    try await withCancellationFlag { flag in
      try await withAsyncThrowingValue(whenCancelled: .deliverResult) { completion in
        queue.async { [self] in
          completion(Result { try connection.withLock { try $0.execute(sql, flag, onRow) } })
        }
      }
    }
  }
}

struct DatabaseError: Error {
  let message: String
}

/// Closes the connection when it is released.
nonisolated struct Connection: ~Copyable {
  let handle: OpaquePointer?

  init(path: String) throws {
    var handle: OpaquePointer?
    let status = sqlite3_open(path, &handle)
    self.handle = handle
    try check(status)
  }

  deinit { sqlite3_close(handle) }

  func execute(
    _ sql: String,
    _ flag: CancellationFlag,
    _ onRow: @escaping @Sendable ([String?]) -> Void
  ) throws {
    let shouldStop = { @Sendable () -> Int32 in flag.isCancelled ? 1 : 0 }
    let takeRow = { @Sendable (count: Int32, columns: CStrings?) -> Int32 in
      onRow((0..<Int(count)).map { columns?[$0].map { String(cString: $0) } })
      return 0
    }
    try withCallbackContext(shouldStop) { progress in
      sqlite3_progress_handler(
        handle,
        1000,
        { @Sendable in CallbackContext.call($0, otherwise: 1) },
        progress
      )
      defer { sqlite3_progress_handler(handle, 0, nil, nil) }
      try withCallbackContext(takeRow) { row in
        let status = sqlite3_exec(
          handle,
          sql,
          { @Sendable context, count, columns, _ in
            CallbackContext.call(context, count, columns, otherwise: 1)
          },
          row,
          nil
        )
        try check(status)
      }
    }
  }

  func execute(_ sql: String) throws { try check(sqlite3_exec(handle, sql, nil, nil, nil)) }

  private func check(_ status: Int32) throws {
    if status == SQLITE_INTERRUPT { throw CancellationError() }
    guard status == SQLITE_OK else {
      throw DatabaseError(message: String(cString: sqlite3_errmsg(handle)))
    }
  }
}

private typealias CStrings = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
