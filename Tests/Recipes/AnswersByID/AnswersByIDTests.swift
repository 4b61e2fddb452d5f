import CooperativeCancellation
import CooperativeCancellationTesting
import Testing

@Suite("The page “Answers by id”", .serialized)
@MainActor
struct AnswersByIDTests {
  @Test func `calls that can be cancelled`() async throws {
    let client: @MainActor @Sendable () -> Client = { Client(Socket()) }
    try await check({ Radio() }, except: .drop) { try await $0.connect(Peripheral("lamp")) }
    try await check(client, canFail: false, except: .drop) { try await $0.ask("one") }
    try await check(client, canFail: false, except: .drop) { try await $0.order("one") }
    try await check({ Search(Index()) }, canFail: false, except: .drop) {
      try await $0.names(matching: "a")
    }
    try await check({ Album() }, except: [.twoCalls]) { try await $0.image("sea") }
    try await check({ Session() }, except: [.twoCalls]) { try await $0.validToken() }
  }

  @Test func `no way to cancel`() async throws {
    let exceptions: Set<WrapperGuarantee> = [.forwarding, .timeout, .droppedCompletion]
    try await check({ Sensor(Link()) { _, _ in } }, except: exceptions) { try await $0.read("2A") }
    try await check({ Shop { _ in } }, whenCancelled: .deliverResult, except: exceptions) {
      try await $0.buy("coffee")
    }
    try await check({ Shop { _ in } }, whenCancelled: .waitForCallback, except: exceptions) {
      try await $0.restore()
    }
    try await check({ Client(Socket()) }, canFail: false, except: exceptions) {
      try await $0.post("one")
    }
    try await check(
      { Suggestions() },
      canFail: false,
      except: exceptions.union([.twoCalls, .nextCall])
    ) {
      try await $0.suggestions(for: "os")
    }
  }

  @Test func `a notification is not lost to a read that was cancelled`() async throws {
    let values = FakeCall<[UInt8]>()
    let sensor = Sensor(Link()) { _, value in values.record(value) }
    let read = Task { try await sensor.read("2A37") }
    let request = try await SDKRequest.calls.get().next()
    read.cancel()
    _ = await read.result
    for _ in 1...3 { request.answer { $0(nil) } }
    #expect(values.callCount == 3)
  }
}
