import CooperativeCancellation
import CooperativeCancellationTesting
import Testing

@Suite("The page “Repeated callbacks”", .serialized)
@MainActor
struct SequencesTests {
  @Test func `the first element`() async throws {
    try await checkFirst({ Dashboard() }) { $0.locations() }
    try await checkFirst({ Dashboard() }) { $0.files() }
    try await checkFirst({ Dashboard() }, canFail: true) { $0.scores() }
    try await checkFirst({ Dashboard() }, canFail: true, except: .drop) { $0.scans() }
    try await checkFirst({ Thermometer() }) { await $0.readings() }
    try await checkFirst({}, except: [.droppedCompletion, .twoCalls]) { degrees(in: "Oslo") }
    let isShared: Set<WrapperGuarantee> = [.twoCalls, .nextCall, .droppedCompletion]
    try await checkFirst({ Chat(Socket()) }, canFail: true, except: isShared) { $0.messages }
  }

  @Test func `registered before the first element is read`() async throws {
    try await checkFirst({ Quotes() }, except: .checkBefore) { try await $0.quotes(for: "SWFT") }
    let isShared: Set<WrapperGuarantee> = [.twoCalls, .nextCall, .droppedCompletion]
    try await checkFirst({ Ticker() }, except: isShared) { try await $0.quotes(for: "SWFT") }
    try await checkFirst({ Pushes() }, except: .checkBefore) { try await $0.pushes(about: "rain") }
    try await checkFirst({ RadioPlayer() }, except: .checkBefore) { await $0.songs }
    try await checkFirst({ RadioPlayer() }, except: .checkBefore) { $0.stations }
  }

  @Test func `a sequence that is read to its end`() async throws {
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

  private struct NoElement: Error {}

  private func checkFirst<Wrapper: Sendable, Elements: AsyncSequence>(
    _ make: @escaping @MainActor @Sendable () -> Wrapper,
    canFail: Bool = false,
    except exceptions: Set<WrapperGuarantee> = [],
    line: UInt = #line,
    of elements: @escaping @MainActor @Sendable (Wrapper) async throws -> Elements
  ) async throws where Elements.Element: Sendable {
    try await check(make, alwaysUnregisters: true, canFail: canFail, except: exceptions, line: line)
    {
      for try await element in try await elements($0) { return element }
      try Task.checkCancellation()
      throw NoElement()
    }
  }
}

nonisolated extension Set<WrapperGuarantee> {
  fileprivate static let checkBefore: Self = [.checkBefore]
}
