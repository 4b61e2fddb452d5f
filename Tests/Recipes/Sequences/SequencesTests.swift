import CooperativeCancellation
import CooperativeCancellationTesting
import Testing

@Suite("The page “Repeated callbacks”", .serialized)
@MainActor
struct SequencesTests {
  @Test
  func `the first element`() async throws {
    let exceptions: Set<WrapperGuarantee> = [.droppedCompletion, .twoCalls]
    try await check({ Dashboard() }, alwaysUnregisters: true, canFail: false) {
      try await first(of: $0.locations())
    }
    try await check({ Dashboard() }, alwaysUnregisters: true, canFail: false) {
      try await first(of: $0.files())
    }
    try await check({ Dashboard() }, alwaysUnregisters: true) { try await first(of: $0.scores()) }
    try await check({ Dashboard() }, alwaysUnregisters: true, except: .drop) {
      try await first(of: $0.scans())
    }
    try await check({ Thermometer() }, alwaysUnregisters: true, canFail: false) {
      try await first(of: await $0.readings())
    }
    try await check({}, alwaysUnregisters: true, canFail: false, except: exceptions) {
      try await first(of: degrees(in: "Oslo"))
    }
  }

  @Test
  func `a sequence that is read to its end`() async throws {
    try await check({ Dashboard() }, alwaysUnregisters: true) {
      for try await step in $0.upload("sea") {
        if case .done(let receipt) = step { return receipt }
      }
      throw NoElement()
    }
    try await check({ Dashboard() }, alwaysUnregisters: true, except: .drop) {
      try await $0.copy("sea", to: Store())
    }
  }

  @Test
  func `a shared sequence`() async throws {
    let exceptions: Set<WrapperGuarantee> = [.twoCalls, .nextCall, .droppedCompletion]
    try await check({ Chat(Socket()) }, alwaysUnregisters: true, except: exceptions) {
      try await first(of: $0.messages)
    }
  }

  @Test
  func `registered before the first element is read`() async throws {
    let exceptions: Set<WrapperGuarantee> = [.checkBefore]
    try await check({ Quotes() }, alwaysUnregisters: true, canFail: false, except: exceptions) {
      try await first(of: try await $0.quotes(for: "SWFT"))
    }
    try await check({ Pushes() }, alwaysUnregisters: true, canFail: false, except: exceptions) {
      try await first(of: try await $0.pushes(about: "weather"))
    }
    try await check({ RadioPlayer() }, alwaysUnregisters: true, canFail: false, except: exceptions)
    {
      try await first(of: await $0.songs)
    }
    try await check({ RadioPlayer() }, alwaysUnregisters: true, canFail: false, except: exceptions)
    {
      try await first(of: $0.stations)
    }
  }

  private struct NoElement: Error {}

  private func first<Elements: AsyncSequence>(of elements: Elements) async throws
    -> Elements.Element
  {
    for try await element in elements { return element }
    try Task.checkCancellation()
    throw NoElement()
  }
}
