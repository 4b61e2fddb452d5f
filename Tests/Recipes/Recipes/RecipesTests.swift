import CooperativeCancellation
import CooperativeCancellationTesting
import PendingAnswers
import Testing

@Suite("The page “Recipes”", .serialized)
@MainActor
struct RecipesTests {
  @Test func `calls that can be cancelled`() async throws {
    try await check({ Drive() }) { try await $0.thumbnail(of: "sea") }
    try await check({ Drive() }) { try await $0.upload("sea") }
    try await check({ Drive() }) { try await $0.download("sea") { _ in } }
    try await check({ Drive() }) { try await $0.video("sea") }
    try await check({ Catalog() }) { try await $0.title(of: 1) }
    try await check({ Drive() }, except: .drop) { try await $0.place() }
    try await check({ Drive() }, except: .drop) { try await $0.flags() }
    try await check({ Drive() }) { try await $0.beacon() }
    try await check({ Drive() }) { try await $0.translation(of: "sea") }
    try await check({ Drive() }, except: .drop) { try await $0.scan() }
    try await check({ Desk() }, except: .drop) { try await $0.scan() }
    try await check({ Drive() }, except: .drop) { try await $0.card() }
    try await check({ Drive() }, except: .drop) { try await $0.signIn() }
  }

  @Test func `a refused call throws`() async throws {
    await #expect(throws: TranslatorBusyError.self) { try await Drive().translation(of: "") }
  }

  @Test func `no way to cancel`() async throws {
    try await check({ Drive() }, except: .forwarding) { try await $0.user(1) }
    try await check({ Drive() }, except: .forwarding) { try await $0.export() }
    try await check({ Drive() }, except: .forwarding) { try await $0.picture("sea") }
    try await check({ Drive() }, whenCancelled: .waitForCallback, except: .forwarding) {
      try await $0.rebuildIndex()
    }
  }

  @Test func `an object that becomes ready`() async throws {
    try await check({ Drive() }, except: .drop.union([.error, .answerInsideCall])) {
      try await $0.link(to: "server").host
    }
  }

  @Test func `a listener to remove`() async throws {
    try await check({ Drive() }, alwaysUnregisters: true, canFail: false) { try await $0.weight() }
    try await check({ Catalog() }, alwaysUnregisters: true, canFail: false) {
      try await $0.nextChange()
    }
    try await check({ Drive() }, alwaysUnregisters: true) { try await $0.records() }
  }

  @Test func `C`() async throws {
    let exceptions: Set<WrapperGuarantee> = [.droppedCompletion, .twoCalls]
    try await check({ Drive() }, except: exceptions) { try await $0.degrees(in: "Oslo") }
    try await check({ Drive() }, whenCancelled: .waitForCallback, except: exceptions) {
      try await $0.convert("beach.mov") { _ in }
    }
  }

  @Test func `a person who signed in just before the cancellation is signed out`() async throws {
    let calls = FakeCall<SDKRequest.Answer>()
    try await SDKRequest.calls.withValue(calls) {
      let drive = Drive()
      let task = Task { try await drive.signIn() }
      try await calls.next().answer { $0(nil) }
      #expect(Account.shared.isSignedIn)
      // This test has the main actor, so the task has not read its answer.
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      #expect(!Account.shared.isSignedIn)
    }
  }

  @Test(arguments: [false, true])
  func `stopping whatever runs reaches no other call`(isAnsweredFirst: Bool) async throws {
    let calls = FakeCall<SDKRequest.Answer>()
    try await SDKRequest.calls.withValue(calls) {
      let forecast = Forecast()
      let old = Task { try await forecast.degrees(in: "Oslo") }
      let first = try await calls.next()
      let new = Task { try await forecast.degrees(in: "Rome") }
      if isAnsweredFirst { first.answer { $0(nil) } }
      old.cancel()
      await #expect(throws: CancellationError.self) { try await old.value }
      if !isAnsweredFirst { first.answer { $0(SDKError()) } }
      let second = try await calls.next()
      #expect((first.cancelCount, second.cancelCount) == (1, 0))
      second.answer { $0(nil) }
      #expect(try await new.value == 12.5)
    }
  }

  /// As a real C library does: it answers with an error, after `weather_cancel()` has returned.
  @Test func `C answers a cancelled call late, and the next one begins`() async throws {
    try await check({ Forecast() }, except: [.droppedCompletion]) {
      try await $0.degrees(in: "Oslo")
    }
    let calls = FakeCall<SDKRequest.Answer>()
    try await SDKRequest.calls.withValue(calls) {
      let forecast = Forecast()
      let old = Task { try await forecast.degrees(in: "Oslo") }
      let first = try await calls.next(within: .seconds(1))
      old.cancel()
      await #expect(throws: CancellationError.self) { try await old.value }
      #expect(first.cancelCount == 1)
      let new = Task { try await forecast.degrees(in: "Rome") }
      first.answer { $0(SDKError()) }
      let second = try await calls.next(within: .seconds(1))
      second.answer { $0(nil) }
      #expect(try await new.value == 12.5)
      #expect(second.cancelCount == 0)
    }
  }

  @Test func `a limit without progress`() async throws {
    await #expect(throws: TimeoutError.self) {
      try await withProgressLimit(.seconds(0)) { _ in try await PendingEvent<Void>().value() }
    }
  }
}
