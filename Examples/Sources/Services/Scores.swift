import CooperativeCancellation
import Dispatch
import GRDB

/// The scores of a game, in a GRDB database.
final class Scores: Sendable {
  struct Score: Codable, FetchableRecord, PersistableRecord, Equatable {
    let player: String
    let points: Int
  }

  private let database: DatabaseQueue
  /// Serial, so that the results keep their order.
  private let queue = DispatchQueue(label: "Scores")

  init() throws {
    database = try DatabaseQueue()
    try database.write { database in
      try database.create(table: "score") { table in
        table.primaryKey("player", .text)
        table.column("points", .integer)
      }
    }
  }

  func save(_ score: Score) throws {
    try database.write { try score.save($0) }
  }

  /// The best scores, now and after each change.
  ///
  /// Only the latest result matters, so a slow reader misses old ones. A database error is thrown.
  func best(_ count: Int) -> AsyncThrowingCallbackSequence<[Score]> {
    let observation = ValueObservation.tracking { database in
      try Score.order(Column("points").desc).limit(count).fetchAll(database)
    }
    return AsyncThrowingCallbackSequence(buffering: .newest(1)) { [database, queue] yield, finish in
      observation.start(
        in: database,
        scheduling: .async(onQueue: queue),
        onError: finish,
        onChange: yield
      )
    } onTermination: { cancellable in
      cancellable.cancel()
    }
  }
}
