import CCallbacks
import CallbackSequences
import CooperativeCancellation
import CSQLite

/// An SQLite database that reports its changes, through a C library with one hook per connection.
actor Ledger {
  struct Change: Sendable, Equatable {
    let table: String
    let row: Int64
  }

  private let connection: Connection
  /// The current hook.
  private var hook: UnsafeMutableRawPointer?

  init() throws { connection = try Connection(path: ":memory:") }

  var isObserved: Bool { hook != nil }

  func execute(_ sql: String) throws { try connection.execute(sql) }

  /// Every row that is inserted, changed or deleted after the first `next()`.
  ///
  /// SQLite has one hook: a new reader takes it over, and the previous reader's sequence ends.
  func changes() -> AsyncCallbackSequence<Change> {
    AsyncCallbackSequence(buffering: .unbounded) { yield in
      let context = CallbackContext(isRepeating: true) {
        (_: Int32, _: CString?, table: CString?, row: Int64) in
        yield(Change(table: table.map { String(cString: $0) } ?? "", row: row))
      }
      let previous = sqlite3_update_hook(
        self.connection.handle,
        { @Sendable in CallbackContext.call($0, $1, $2, $3, $4) },
        context.pointer
      )
      // Ends the previous sequence.
      CallbackContext.release(previous)
      self.hook = context.pointer
      return context
    } onTermination: { context in
      if self.hook == context.pointer {
        sqlite3_update_hook(self.connection.handle, nil, nil)
        self.hook = nil
      }
      context.release()
    }
  }
}

extension Ledger {
  /// The same for readers on any actor: the hook is set and removed on this actor.
  func changesForAll() -> SendableCallbackSequence<Change, Never> { changes().sendable() }
}

private typealias CString = UnsafePointer<CChar>
