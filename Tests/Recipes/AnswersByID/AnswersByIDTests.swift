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

  @Test func `the end of a cancelled connection lets the next one begin`() async throws {
    let calls = FakeCall<SDKRequest.Answer>()
    try await SDKRequest.calls.withValue(calls) {
      let (radio, lamp) = (Radio(), Peripheral("lamp"))
      let old = Task { try await radio.connect(lamp) }
      let first = try await calls.next()
      let new = Task { try await radio.connect(lamp) }
      old.cancel()
      try await first.cancelled()
      #expect(calls.callCount == 1)
      first.answer { $0(nil) }
      try await calls.next().answer { $0(nil) }
      try await new.value(within: .milliseconds(500))
      await #expect(throws: CancellationError.self) { try await old.value }
    }
  }

  @Test(arguments: [false, true])
  func `the end of a connection that was just made does not end the next one`(
    isReportedBeforeCancellation: Bool
  ) async throws {
    let calls = FakeCall<SDKRequest.Answer>()
    try await SDKRequest.calls.withValue(calls) {
      let central = Central(reportsDisconnections: false)
      let (radio, lamp) = (Radio(central), Peripheral("lamp"))
      let old = Task { try await radio.connect(lamp) }
      let first = try await calls.next()
      let new = Task { try await radio.connect(lamp) }
      // This test has the main thread, so the task does not read its answer before the
      // cancellation.
      if isReportedBeforeCancellation { first.answer { $0(nil) } }
      old.cancel()
      try await first.cancelled()
      if !isReportedBeforeCancellation {
        central.reportConnection(of: lamp)
        for _ in 1...100 { await Task.yield() }
        // The peripheral is still to be disconnected.
        #expect(calls.callCount == 1)
        central.reportDisconnection(of: lamp)
      }
      let second = try await calls.next()
      if isReportedBeforeCancellation { central.reportDisconnection(of: lamp) }
      second.answer { $0(nil) }
      try await new.value(within: .milliseconds(500))
      await #expect(throws: CancellationError.self) { try await old.value }
      #expect(second.cancelCount == 0)
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
