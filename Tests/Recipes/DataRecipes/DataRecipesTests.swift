import CooperativeCancellation
import CooperativeCancellationTesting
import Foundation
import Testing

@Suite("The page “Recipes for data and servers”", .serialized)
@MainActor
struct DataRecipesTests {
  @Test func `elements that must be answered`() async throws {
    let unanswered = LiveCount()
    try await check(
      { Health(HealthStore(unanswered: unanswered)) },
      alwaysUnregisters: true,
      values: unanswered,
      except: .drop
    ) { health in
      struct HasRead: Error {}
      do { try await health.sync { throw HasRead() } } catch is HasRead {}
    }
    #expect(unanswered.count == 0)
  }

  @Test func `elements that no loop reads are answered, too`() async throws {
    let calls = FakeCall<SDKRequest.Answer>()
    try await SDKRequest.calls.withValue(calls) {
      let unanswered = LiveCount()
      let health = Health(HealthStore(unanswered: unanswered, updateCount: 3))
      let task = Task {
        try await health.sync {
          withUnsafeCurrentTask { $0?.cancel() }
          try checkpoint()
        }
      }
      let query = try await calls.next()
      query.answer { $0(nil) }
      await #expect(throws: CancellationError.self) { try await task.value }
      query.answer { $0(nil) }
      #expect(unanswered.count == 0)
    }
  }

  @Test func `a publisher`() async throws {
    try await check(
      { Weather(TemperaturePublisher()) },
      alwaysUnregisters: true,
      except: .drop
    ) {
      try await $0.firstDegrees()
    }
    let calls = FakeCall<SDKRequest.Answer>()
    try await SDKRequest.calls.withValue(calls) {
      calls.whenCalled { $0.answer { $0(nil) } }
      var all: [Double] = []
      for try await degrees in Weather(TemperaturePublisher()).degrees() { all.append(degrees) }
      #expect(all == [21, 22])
      let nothing = try await Weather(TemperaturePublisher(values: [])).firstDegrees()
      #expect(nothing == nil)
    }
  }

  @Test func `a file that is gone when the callback returns`() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await check({ Transfers(FileSession(), folder: folder) }) { transfers in
      let file = try await transfers.file(from: "sea")
      #expect(try String(contentsOf: file, encoding: .utf8) == "hello")
      try FileManager.default.removeItem(at: file)
    }
    // Each file that was not delivered has been removed.
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
  }

  @Test func `a value of a PendingCall that must be closed`() async throws {
    let openChannels = LiveCount()
    try await check(
      { Cars(CarRadio(openChannels: openChannels)) },
      values: openChannels,
      except: .drop
    ) {
      try await $0.channel()
    }
  }

  @Test func `a C callback that returns a value`() async throws {
    try await check(
      { Fetcher() },
      whenCancelled: .waitForCallback,
      except: [.forwarding, .droppedCompletion]
    ) {
      try await $0.size(of: "sea")
    }
  }

  @Test func `a cancelled task stops C through the result of its callback`() async throws {
    let calls = FakeCall<SDKRequest.Answer>()
    try await SDKRequest.calls.withValue(calls) {
      let task = Task { try await Fetcher().size(of: "sea") }
      let request = try await calls.next()
      let before = abortedTransfers.load(ordering: .relaxed)
      task.cancel()
      request.answer { $0(nil) }
      await #expect(throws: CancellationError.self) { try await task.value }
      #expect(abortedTransfers.load(ordering: .relaxed) == before + 1)
    }
  }
}
