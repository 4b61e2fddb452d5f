import CooperativeCancellation
import LegacySDK

// Calls whose answers come in somewhere else, by id.

extension [Comparison] {
  static func pendingCalls(on loop: Loop) -> [Comparison] {
    let counts = [100, 10_000, 100_000]
    return [one(beside: 0, on: loop)]
      + counts.map { one(beside: $0 - 1, on: loop) }
      + counts.map { many($0, on: loop) }
  }

  private static let baseline = "by hand, in a dictionary"

  /// One call after the other, while so many others wait.
  private static func one(beside others: Int, on loop: Loop) -> Comparison {
    let name = others == 0 ? "a pending call" : "a pending call, beside \(grouped(others))"
    let calls = others < 1_000 ? 200 : 2_000
    @Sendable func run<Calls: CallsByID>(_ type: Calls.Type) throws -> Double {
      let replies = Calls()
      try start(0..<others, of: replies, on: loop)
      let cost = try nanoseconds(per: calls) {
        try loop.run {
          for id in others..<others + calls {
            use(
              try await replies.reply(id) {
                loop.callLater { replies.bring(id) }
              }
            )
          }
        }
      }
      replies.close(throwing: SDKError.failed)
      try loop.run {}
      return cost
    }
    return Comparison(
      name: name,
      baseline: baseline,
      unit: .nanoseconds,
      goal: .atMost(1.2),
      rounds: others < 1_000 ? 1_000 : Swift.max(5, 500_000 / others),
      sample: { try run(PendingCalls<Int, Int>.self) },
      sampleBaseline: { try run(HandWrittenCalls.self) }
    )
  }

  /// Calls that wait at the same time, and are answered then, in another order. Their tasks are included.
  private static func many(_ count: Int, on loop: Loop) -> Comparison {
    @Sendable func run<Calls: CallsByID>(_ type: Calls.Type) throws -> Double {
      let replies = Calls()
      return try nanoseconds(per: count) {
        try start(0..<count, of: replies, on: loop)
        // A prime, so that each comes once.
        for number in 0..<count { replies.bring(number * 7_919 % count) }
        try loop.run {}
      }
    }
    return Comparison(
      name: "pending calls, \(grouped(count)) at once",
      baseline: baseline,
      unit: .nanoseconds,
      goal: .atMost(1.2),
      rounds: Swift.max(5, 100_000 / count),
      sample: { try run(PendingCalls<Int, Int>.self) },
      sampleBaseline: { try run(HandWrittenCalls.self) }
    )
  }

  /// Returns when all of them wait.
  private static func start(_ ids: Range<Int>, of replies: some CallsByID, on loop: Loop) throws {
    for id in ids {
      Task(executorPreference: loop) {
        do {
          use(try await replies.reply(id) {})
        } catch {
          use(error)
        }
      }
    }
    try loop.run {}
  }
}

/// What both sides can do.
private protocol CallsByID: Sendable {
  init()
  func reply(_ id: Int, send: () -> Void) async throws -> Int
  func bring(_ id: Int)
  func close(throwing error: any Error)
}

extension PendingCalls<Int, Int>: CallsByID {
  fileprivate convenience init() { self.init(onUnclaimed: nil) }

  @inline(__always)
  fileprivate func reply(_ id: Int, send: () -> Void) async throws -> Int {
    try await value(for: id) { send() }
  }

  fileprivate func bring(_ id: Int) { resume(id, returning: 1) }
}

extension HandWrittenCalls: CallsByID {
  @inline(__always)
  fileprivate func reply(_ id: Int, send: () -> Void) async throws -> Int {
    try await value(for: id, send: send)
  }

  fileprivate func bring(_ id: Int) { resume(id, returning: 1) }
}
