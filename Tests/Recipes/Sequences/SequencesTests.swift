import CooperativeCancellation
import CooperativeCancellationTesting
import Testing

@Suite("The page “Repeated callbacks”", .serialized)
@MainActor
struct SequencesTests {
  private struct NoElement: Error {}

  @Test
  func `the first element`() async throws {
    try await check({ Dashboard() }, alwaysUnregisters: true, canFail: false) {
      try await first(of: $0.locations())
    }
    try await check({ Dashboard() }, alwaysUnregisters: true, canFail: false) {
      try await first(of: $0.files())
    }
    try await check({ Dashboard() }, alwaysUnregisters: true) { try await first(of: $0.scores()) }
    try await check({ Dashboard() }, alwaysUnregisters: true) {
      for try await step in $0.upload("beach") {
        if case .done(let receipt) = step { return receipt }
      }
      throw NoElement()
    }
    try await check({ Dashboard() }, alwaysUnregisters: true, except: [.droppedCompletion]) {
      try await first(of: $0.scans())
    }
  }

  @Test
  func `a reader on another actor`() async throws {
    try await check({ Thermometer() }, alwaysUnregisters: true, canFail: false) {
      try await first(of: await $0.readings())
    }
  }

  @Test
  func `C`() async throws {
    let exceptions: Set<WrapperGuarantee> = [.droppedCompletion, .twoCalls]
    try await check({}, alwaysUnregisters: true, canFail: false, except: exceptions) {
      try await first(of: degrees(in: "Oslo"))
    }
  }

  @Test
  func `an SDK that pauses`() async throws {
    try await check({ Dashboard() }, alwaysUnregisters: true, except: [.droppedCompletion]) {
      try await $0.copy("beach", to: Store())
    }
  }

  private func first<Elements: AsyncSequence>(of elements: Elements) async throws
    -> Elements.Element
  {
    for try await element in elements { return element }
    try Task.checkCancellation()
    throw NoElement()
  }
}
