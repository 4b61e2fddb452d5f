import CooperativeCancellation
import CooperativeCancellationTesting
import Foundation
import PendingAnswers
import Testing

@Suite("The page “Recipes for sessions and screens”", .serialized)
@MainActor
struct SessionRecipesTests {
  @Test func `a session that must be closed`() async throws {
    try await check(
      { TagReader() },
      whenCancelled: .waitForCallback,
      alwaysUnregisters: true,
      except: .drop
    ) {
      try await $0.tag()
    }
    try await check({ Services() }, alwaysUnregisters: true, except: .drop) {
      try await $0.port(of: Service())
    }
  }

  @Test func `the check finds a service that is stopped only by a cancellation`() async throws {
    let error = await #expect(throws: BrokenGuarantees.self) {
      try await check({ true }, alwaysUnregisters: true, except: .drop) { _ in
        let (service, port) = (Service(), PendingCall<Int>())
        return try await port.value {
          let delegate = ServiceDelegate(port)
          service.delegate = delegate
          service.resolve()
          return delegate
        } onCancel: { _ in
          service.stop()
        }
      }
    }
    #expect(error?.guarantees == [.closing])
  }

  @Test func `the next session is not refused`() async throws {
    let calls = FakeCall<SDKRequest.Answer>()
    try await SDKRequest.calls.withValue(calls) {
      calls.whenCalled { $0.answer { $0(nil) } }
      let reader = TagReader()
      for _ in 1...100 {
        let tag = try await reader.tag()
        #expect(tag == "04:A2")
      }
    }
  }

  // MARK: Screens

  @Test func `a screen that a person may dismiss`() async throws {
    try await check({ Files(Screen()) }, canFail: false, except: .drop) { try await $0.pickFile() }
    let dismissal: [DocumentPicker.Report] = [.cancelled, .dismissed]
    try await check({ Files(Screen(dismissal: dismissal)) }, canFail: false, except: .drop) {
      try await $0.pickFile()
    }
  }

  @Test(
    arguments: [
      [.cancelled], [.dismissed], [.cancelled, .dismissed], [.dismissed, .cancelled],
    ] as [[DocumentPicker.Report]]
  )
  func `a dismissal ends the call, and not the next one`(reports: [DocumentPicker.Report])
    async throws
  {
    let calls = FakeCall<SDKRequest.Answer>()
    try await SDKRequest.calls.withValue(calls) {
      let screen = Screen()
      let files = Files(screen)
      let choice = Task { try await files.pickFile() }
      _ = try await calls.next()
      let first = try #require(screen.picker)
      let nextChoice = Task { try await files.pickFile() }
      _ = try await calls.next()
      let second = try #require(screen.picker)
      first.close(reports)
      #expect(try await choice.value(within: .milliseconds(500)) == nil)
      second.pick("notes.txt")
      #expect(try await nextChoice.value(within: .milliseconds(500)) == "notes.txt")
    }
  }

  @Test func `two callbacks that make one answer`() async throws {
    try await check({ Ads() }, whenCancelled: .deliverResult, except: .drop.union([.forwarding])) {
      try await $0.reward(for: RewardedAd())
    }
  }

  @Test(arguments: [false, true]) func `an ad is closed`(isWatched: Bool) async throws {
    let calls = FakeCall<SDKRequest.Answer>()
    try await SDKRequest.calls.withValue(calls) {
      let task = Task { try await Ads().reward(for: RewardedAd(isWatched: isWatched)) }
      let request = try await calls.next()
      // The person has seen the ad, although no task waits for the reward anymore.
      task.cancel()
      request.answer { $0(nil) }
      #expect(try await task.value == (isWatched ? 10 : nil))
    }
  }

  // MARK: Recordings

  @Test func `start now, await later`() async throws {
    try await check({ true }, except: .drop.union([.checkBefore])) { _ in
      try await Recording(Recorder()).file()
    }
    #expect(throws: SDKError.self) { try Recording(Recorder(mayStart: false)) }
  }

  @Test func `an end that comes before anyone waits for it`() async throws {
    let calls = FakeCall<SDKRequest.Answer>()
    try await SDKRequest.calls.withValue(calls) {
      let recording = try Recording(Recorder())
      try await calls.next().answer { $0(nil) }
      for _ in 1...2 { #expect(try await recording.file() == "a.m4a") }
    }
  }

  @Test func `a stop that is ignored until the SDK has started`() async throws {
    try await check({ Camera(MovieOutput()) }, whenCancelled: .deliverResult, except: .drop) {
      try await $0.movie()
    }
    let calls = FakeCall<SDKRequest.Answer>()
    try await SDKRequest.calls.withValue(calls) {
      let output = MovieOutput(startsByItself: false)
      let task = Task { try await Camera(output).movie() }
      let request = try await calls.next()
      task.cancel()
      for _ in 1...10 { await Task.yield() }
      #expect(request.cancelCount == 0)
      output.begin()
      try await request.cancelled()
      request.answer { $0(nil) }
      #expect(try await task.value == "a.mov")
    }
  }

  // MARK: Transfers

  @Test func `a cancellation with an answer of its own`() async throws {
    try await check(
      { Downloader(TransferSession()) },
      whenCancelled: .deliverResult,
      canFail: false,
      except: .drop
    ) {
      try await $0.file("sea")
    }
    try await check({ Copier(CopySDK()) }, whenCancelled: .deliverResult, except: .drop) {
      try await $0.copy("photos")
    }
  }

  @Test func `the next download begins where the cancelled one has stopped`() async throws {
    let calls = FakeCall<SDKRequest.Answer>()
    try await SDKRequest.calls.withValue(calls) {
      let session = TransferSession()
      let downloader = Downloader(session)
      let old = Task { try await downloader.file("sea") }
      let request = try await calls.next()
      old.cancel()
      try await request.cancelled()
      request.answer { $0(SDKError()) }
      await #expect(throws: CancellationError.self) { try await old.value }
      let new = Task { try await downloader.file("sea") }
      try await calls.next().answer { $0(nil) }
      #expect(try await new.value == "sea")
      #expect(session.resumptions.withLock { $0 } == [nil, Data("sea".utf8)])
      #expect(downloader.rests.isEmpty)
    }
  }

  @Test func `an object that is closed while calls wait`() async throws {
    try await check({ Call(Peer()) }, except: .drop.union([.forwarding])) { try await $0.offer() }
    let calls = FakeCall<SDKRequest.Answer>()
    try await SDKRequest.calls.withValue(calls) {
      let call = Call(Peer())
      let tasks = (1...2).map { _ in Task { try await call.offer() } }
      for _ in tasks { _ = try await calls.next() }
      call.hangUp()
      for task in tasks {
        await #expect(throws: CallEnded.self) { try await task.value(within: .milliseconds(500)) }
      }
      let later = Task { try await call.offer() }
      await #expect(throws: CallEnded.self) { try await later.value(within: .milliseconds(500)) }
    }
  }

  @Test func `an answer before its call`() async throws {
    try await check(
      { Uploads(UploadSession()) },
      except: .drop.union([.forwarding, .checkBefore])
    ) {
      try await $0.status(of: $0.start("a.txt"))
    }
    let uploads = Uploads(UploadSession())
    uploads.upload(7, didCompleteWith: .success(201))
    let cancelled = Task { try await uploads.status(of: 7) }
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    #expect(try await uploads.status(of: 7) == 201)
  }
}
