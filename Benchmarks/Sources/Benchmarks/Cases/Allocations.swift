import CooperativeCancellation
import LegacySDK
import MallocCounter

// The allocations of one call, without those of the SDK and the loop.

extension [Comparison] {
  static func allocations(on loop: Loop) -> [Comparison] {
    [
      allocations("at once", LegacySDK(calls: .atOnce), atMost: 1, on: loop),
      allocations("later", LegacySDK(calls: .when(idle: loop)), atMost: 3, on: loop),
    ].flatMap(\.self)
  }

  private static func allocations(
    _ when: String,
    _ sdk: LegacySDK,
    atMost goal: Double,
    on loop: Loop
  ) -> [Comparison] {
    let bridged: @Sendable (Int) async throws -> Void = {
      for _ in 0..<$0 { use(try await withAsyncThrowingValue { sdk.result($0) }) }
    }
    let byHand: @Sendable (Int) async throws -> Void = {
      for _ in 0..<$0 {
        use(
          try await withCheckedThrowingContinuation { continuation in
            sdk.result { continuation.resume(with: $0) }
          }
        )
      }
    }
    func comparison(
      _ unit: Comparison.Unit,
      _ goal: Comparison.Goal,
      _ amount: @escaping @Sendable (MallocUse) -> Double
    ) -> Comparison {
      Comparison(
        name: "\(unit.rawValue), answers \(when)\(Lock.suffix)",
        baseline: "raw checked continuation",
        unit: unit,
        goal: goal,
        rounds: 5,
        sample: {
          try amount(.ofOneCall(on: loop, bridged)) - amount(.ofTheSDK(sdk, on: loop))
        },
        sampleBaseline: {
          try amount(.ofOneCall(on: loop, byHand)) - amount(.ofTheSDK(sdk, on: loop))
        }
      )
    }
    return [
      comparison(.allocations, .cost(atMost: goal)) { $0.allocations },
      comparison(.bytes, .none) { $0.bytes },
    ]
  }
}

/// The memory that one call allocates with `malloc`.
struct MallocUse: Sendable {
  let allocations: Double
  let bytes: Double

  /// The difference between two runs of different lengths, so that the overhead of a run cancels out.
  static func ofOneCall(
    on loop: Loop,
    _ calls: @escaping @Sendable (Int) async throws -> Void
  ) throws -> MallocUse {
    func run(_ count: Int) throws -> (allocations: Int, bytes: Int) {
      let before = (malloc_count(), malloc_bytes_requested())
      try loop.run { try await calls(count) }
      return (malloc_count() - before.0, malloc_bytes_requested() - before.1)
    }
    for _ in 0..<2 { _ = try run(2_000) }  // The loop's queues grow to what they need.
    let short = try run(1_000)
    let long = try run(2_000)
    return MallocUse(
      allocations: Double(long.allocations - short.allocations) / 1_000,
      bytes: Double(long.bytes - short.bytes) / 1_000
    )
  }

  /// Calls without a wait.
  static func ofTheSDK(_ sdk: LegacySDK, on loop: Loop) throws -> MallocUse {
    try ofOneCall(on: loop) { count in
      for _ in 0..<count { sdk.result { use($0) } }
    }
  }

  static func notes(on loop: Loop) throws -> String {
    let atOnce = try ofTheSDK(LegacySDK(calls: .atOnce), on: loop)
    let later = try ofTheSDK(LegacySDK(calls: .when(idle: loop)), on: loop)
    return """
      Allocations and bytes of a call are counted without the SDK's own: \
      \(Int(atOnce.allocations)) of \(Int(atOnce.bytes)) bytes when it answers at once, \
      \(Int(later.allocations)) of \(Int(later.bytes)) bytes when it answers later.
      """
  }
}
