import CooperativeCancellation
import LegacySDK

// Calls whose answers come in somewhere else, by id.

extension [Comparison] {
  static func pendingCalls(on loop: Loop) -> [Comparison] {
    [
      one("a pending call", on: loop),
      one("a pending call, beside 99,999", beside: 99_999, on: loop),
      one("a pending call, id from the SDK", returnsID: true, on: loop),
    ]
  }

  private static let baseline = "by hand, in a dictionary"

  /// One call after the other, while so many others wait.
  private static func one(
    _ name: String,
    beside others: Int = 0,
    returnsID: Bool = false,
    on loop: Loop
  ) -> Comparison {
    let calls = others == 0 ? 200 : 2_000
    @Sendable func run<Calls: CallsByID>(_ type: Calls.Type) throws -> Double {
      let replies = Calls()
      try start(0..<others, of: replies, on: loop)
      let cost = try nanoseconds(per: calls) {
        try loop.run {
          for id in others..<others + calls {
            if returnsID {
              use(
                try await replies.reply {
                  loop.callLater { replies.bring(id) }
                  return id
                }
              )
            } else {
              use(try await replies.reply(id) { loop.callLater { replies.bring(id) } })
            }
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
      rounds: others == 0 ? 1_000 : 5,
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
  func reply(send: () -> Int) async throws -> Int
  func bring(_ id: Int)
  func close(throwing error: any Error)
}

extension PendingCalls<Int, Int>: CallsByID {
  fileprivate convenience init() { self.init(onUnclaimed: nil) }

  @inline(__always)
  fileprivate func reply(_ id: Int, send: () -> Void) async throws -> Int {
    try await value(for: id) { send() }
  }

  @inline(__always)
  fileprivate func reply(send: () -> Int) async throws -> Int {
    try await value { send() }
  }

  fileprivate func bring(_ id: Int) { resume(id, returning: 1) }
}

extension HandWrittenCalls: CallsByID {
  @inline(__always)
  fileprivate func reply(_ id: Int, send: () -> Void) async throws -> Int {
    try await value(for: id, send: send)
  }

  /// An answer that comes before the continuation is there would be lost.
  @inline(__always)
  fileprivate func reply(send: () -> Int) async throws -> Int {
    let id = send()
    return try await value(for: id) {}
  }

  fileprivate func bring(_ id: Int) { resume(id, returning: 1) }
}
