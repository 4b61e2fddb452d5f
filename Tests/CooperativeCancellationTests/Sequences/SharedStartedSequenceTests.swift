import CallbackSequences
import CancellationInternals
import CooperativeCancellation
import CooperativeCancellationTesting
import FakeCallbackSDK
import Testing

@Suite("Sequences: registered at once, for readers on any actor", .watchdog)
struct SharedStartedSequenceTests {
  private typealias Songs = SendableCallbackSequence<Song, any Error>

  enum Form: CaseIterable {
    case anywhere, onMainActor, sharedAnywhere, sharedOnMainActor

    var isShared: Bool { self == .sharedAnywhere || self == .sharedOnMainActor }
  }

  private let mast = Mast()

  private func songs(_ form: Form, _ watch: SequenceWatch, replays: Bool = false) async -> Songs {
    let mast = mast
    let songs =
      switch form {
      case .anywhere, .sharedAnywhere:
        SendableCallbackSequence { SequenceForm.failing(mast, watch, nil) }
      case .onMainActor, .sharedOnMainActor:
        await MainActor.run {
          SequenceForm.failing(mast, watch, MainActor.shared).sendable(isolation: MainActor.shared)
        }
      }
    return form.isShared ? songs.shared(replayingLatest: replays) : songs
  }

  private func wait(for watch: SequenceWatch, _ events: [SequenceWatch.Event]) async {
    while watch.events.count < events.count { await Task.yield() }
    #expect(watch.events == events)
  }

  private func titles(
    _ songs: consuming AsyncThrowingCallbackSequence<Song>.Iterator
  ) async throws -> [String] {
    var titles: [String] = []
    for try await song in songs { titles.append(song.title) }
    return titles
  }

  @Test(arguments: Form.allCases)
  func `elements wait from the registration on, and are read once`(form: Form) async throws {
    let watch = SequenceWatch()
    let started = try await songs(form, watch).started()
    #expect(watch.events == [.subscribed])
    mast.play()
    mast.play()
    mast.end()
    #expect(try await titles(started) == ["1", "2"])
    await wait(for: watch, [.subscribed, .terminated])
    #expect(try await titles(started) == [])
  }

  @Test(arguments: [Form.sharedAnywhere, .sharedOnMainActor], [false, true])
  func `a later reader joins the registration, and begins with the latest element, if asked for`(
    form: Form,
    replays: Bool
  ) async throws {
    let watch = SequenceWatch()
    let songs = await songs(form, watch, replays: replays)
    let first = try await songs.started()
    mast.play()
    let second = try await songs.started()
    #expect(watch.events == [.subscribed])
    mast.play()
    mast.end()
    #expect(try await titles(second) == (replays ? ["1", "2"] : ["2"]))
    #expect(try await titles(first) == ["1", "2"])
    await wait(for: watch, [.subscribed, .terminated])
  }

  @Test(arguments: Form.allCases)
  func `started throws what the registration throws, and may register again`(form: Form) async {
    let watch = SequenceWatch(inSubscribe: { throw SDKError.failed })
    let songs = await songs(form, watch)
    for _ in 1...2 {
      await #expect(throws: SDKError.failed) { _ = try await songs.started() }
    }
    #expect(watch.events == [.subscribed, .subscribed])
    mast.release()
  }

  @Test(arguments: Form.allCases)
  func `started registers nothing in a cancelled task`(form: Form) async {
    let watch = SequenceWatch()
    let songs = await songs(form, watch)
    await Task {
      cancelThisTask()
      await #expect(throws: CancellationError.self) { _ = try await songs.started() }
    }.value
    #expect(watch.events == [])
  }

  @Test func `where started cannot throw, a cancelled task gets a subscription that has ended`()
    async
  {
    let (mast, watch) = (mast, SequenceWatch())
    let songs = SendableCallbackSequence {
      SequenceForm.finishing(Never.self, mast, watch, nil)
    }.shared()
    let started = await Task {
      cancelThisTask()
      return Sent(await songs.started())
    }.value.open()
    // In a task that is not cancelled.
    for await _ in started { Issue.record("it has ended") }
    #expect(watch.events == [])
  }

  @Test(arguments: Form.allCases)
  func `an end inside the registration is read after the elements that came before it`(form: Form)
    async throws
  {
    let mast = mast
    let watch = SequenceWatch(inSubscribe: {
      mast.play()
      mast.end()
    })
    let started = try await songs(form, watch).started()
    #expect(try await titles(started) == ["1"])
    await wait(for: watch, [.subscribed, .terminated])
  }

  @Test(arguments: Form.allCases)
  func `the release of what started returns unregisters`(form: Form) async throws {
    let watch = SequenceWatch()
    do {
      let started = try await songs(form, watch).started()
      mast.play()
      withExtendedLifetime(started) {}
    }
    while watch.terminated == 0 { await Task.yield() }
    while mast.songsAlive.count > 0 { await Task.yield() }
  }

  @Test(arguments: [false, true])
  func `a cancelled task does not wait for a busy home, which unregisters later`(isShared: Bool)
    async throws
  {
    WaitingCalls.startRecording()
    let actor = HandDrivenActor()
    let look: @Sendable () -> Void = { actor.preconditionIsolated() }
    let watch = SequenceWatch(inSubscribe: look, inTermination: look)
    let own = actor.makeSongs(mast, watch)
    let songs = isShared ? own.shared() : own
    let task = Task<Void, Never> {
      await #expect(throws: CancellationError.self) { _ = try await songs.started() }
    }
    func isListed() -> Bool { WaitingCalls.all.contains { $0.callSite.line == watch.line } }
    while !isListed() || actor.executor.isIdle { await Task.yield() }
    task.cancel()
    await task.value
    #expect(watch.events == [] && !isListed())
    actor.executor.runUntilIdle()
    while watch.subscribed > watch.terminated {
      actor.executor.runUntilIdle()
      await Task.yield()
    }
    #expect(mast.songsAlive.count == 0)
  }

  /// An iterator is not `Sendable`, but nothing else holds a new one.
  @Test func `an iterator may be made here and read elsewhere`() async throws {
    let watch = SequenceWatch()
    let songs = await songs(.sharedAnywhere, watch)
    let iterator: Songs.AsyncIterator = songs.makeAsyncIterator()
    let task = Task.detached {
      var iterator = iterator
      return try await iterator.next()?.title
    }
    await wait(for: watch, [.subscribed])
    mast.play()
    #expect(try await task.value == "1")
  }
}

extension HandDrivenActor {
  fileprivate nonisolated func makeSongs(
    _ mast: Mast,
    _ watch: SequenceWatch
  ) -> SendableCallbackSequence<Song, any Error> {
    assumeIsolated { SequenceForm.failing(mast, watch, $0).sendable(isolation: $0) }
  }
}
