import CooperativeCancellation
import LegacySDK
import MallocCounter
import PendingAnswers

// The allocations of one call, without those of the SDK and the loop.

private let answersByID = PendingCalls<Int, Int>()
private let oneAtATime = PendingCall<Int>()
private let sharedCalls = SharedCalls<Int, Int>()

extension [Comparison] {
  static func allocations(on loop: Loop) -> [Comparison] {
    [
      allocations("answers at once", LegacySDK(calls: .atOnce), atMost: 2, on: loop) { sdk in
        try await withAsyncThrowingValue { sdk.result($0) }
      },
      allocations("answers later", LegacySDK(calls: .when(idle: loop)), atMost: 4, on: loop) {
        sdk in
        try await withAsyncThrowingValue { sdk.result($0) }
      },
      allocations("continuation, at once", LegacySDK(calls: .atOnce), atMost: 1, on: loop) {
        try await continued($0)
      },
      allocations("a call by id, at once", LegacySDK(calls: .atOnce), atMost: 1, on: loop) { sdk in
        try await answersByID.value(for: 1) { sdk.result { answersByID.resume(1, with: $0) } }
      },
      allocations("a call by id, later", LegacySDK(calls: .when(idle: loop)), atMost: 3, on: loop) {
        sdk in
        try await answersByID.value(for: 1) { sdk.result { answersByID.resume(1, with: $0) } }
      },
      allocations(
        "one call at a time, later",
        LegacySDK(calls: .when(idle: loop)),
        atMost: 8,
        on: loop
      ) {
        sdk in
        try await oneAtATime.value { sdk.result { oneAtATime.resume(with: $0) } }
      },
      allocations("an event, later", LegacySDK(calls: .when(idle: loop)), atMost: 6, on: loop) {
        sdk in
        let event = PendingEvent<Int>()
        return try await event.value { sdk.result { _ in event.resume(returning: 1) } }
      },
      allocations("an event that is over", LegacySDK(calls: .atOnce), atMost: 2, on: loop) { sdk in
        let event = PendingEvent<Int>()
        sdk.result { _ in event.close(returning: 1) }
        return try await event.value()
      },
      // Its task runs beside the thread that makes it. Where they wait for each other decides.
      allocations("a shared call, later", LegacySDK(calls: .when(idle: loop)), atMost: 18, on: loop)
      {
        sdk in
        try await sharedCalls.value(for: 1) { try await continued(sdk) }
      },
    ]
  }

  private static func allocations(
    _ when: String,
    _ sdk: LegacySDK,
    atMost goal: Double,
    on loop: Loop,
    _ call: @escaping @Sendable (LegacySDK) async throws -> Int
  ) -> Comparison {
    Comparison(
      name: "allocations, \(when)",
      baseline: "raw checked continuation",
      unit: .allocations,
      goal: .cost(atMost: goal),
      rounds: 5,
      sample: {
        try ofOneCall(on: loop) {
          for _ in 0..<$0 { use(try await call(sdk)) }
        } - ofTheSDK(sdk, on: loop)
      },
      sampleBaseline: {
        try ofOneCall(on: loop) {
          for _ in 0..<$0 { use(try await checked(sdk)) }
        } - ofTheSDK(sdk, on: loop)
      }
    )
  }

  /// The difference between two runs of different lengths, so that the overhead of a run cancels
  /// out.
  private static func ofOneCall(
    on loop: Loop,
    _ calls: @escaping @Sendable (Int) async throws -> Void
  ) throws -> Double {
    func run(_ count: Int) throws -> Int {
      let before = malloc_count()
      try loop.run { try await calls(count) }
      return malloc_count() - before
    }
    for _ in 0..<2 { _ = try run(2_000) }  // The loop's queues grow to what they need.
    let short = try run(1_000)
    return Double(try run(2_000) - short) / 1_000
  }

  /// Calls without a wait.
  private static func ofTheSDK(_ sdk: LegacySDK, on loop: Loop) throws -> Double {
    try ofOneCall(on: loop) { for _ in 0..<$0 { sdk.result { use($0) } } }
  }
}
