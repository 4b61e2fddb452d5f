import CallbackSequences
import CooperativeCancellation
import CooperativeCancellationTesting
import FakeCallbackSDK
import Testing

/// On a thread of their own, one after another, because each polls for what happens on the pool's
/// threads.
@Suite("Sequences: shared", .serialized, .watchdog, .ownThread) struct SharedSequenceTests {
  private let mast = Mast()
  private let watch = SequenceWatch()

  private var songs: SendableCallbackSequence<Song, any Error> {
    SendableCallbackSequence { [mast, watch] in SequenceForm.failing(mast, watch, nil) }
  }

  private func read(_ songs: SendableCallbackSequence<Song, any Error>) -> TestRead {
    let read = TestRead(songs)
    read.executor.runUntilIdle()
    return read
  }

  /// Registers and unregisters happen in a task of their own.
  private func expect(
    _ events: [SequenceWatch.Event],
    alive: Int = 0,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    while watch.events.count < events.count { await Task.yield() }
    #expect(watch.events == events, sourceLocation: sourceLocation)
    while mast.songsAlive.count > alive { await Task.yield() }
  }

  @Test(arguments: [false, true], [false, true])
  func `all readers share one registration, and a new one begins with the latest, if asked for`(
    replays: Bool,
    isSharedTwice: Bool
  ) async {
    let songs = (isSharedTwice ? songs.shared() : songs).shared(replayingLatest: replays)
    #expect(watch.events == [])
    let first = read(songs)
    await expect([.subscribed])
    mast.play()
    mast.play()
    #expect(await first.titles(2) == ["1", "2"])
    let second = read(songs)
    #expect(second.titles == (replays ? ["2"] : []))
    first.cancel()
    #expect(first.readings.last == .cancelled)
    #expect(watch.events == [.subscribed])
    mast.play()
    #expect(await second.titles(replays ? 2 : 1) == (replays ? ["2", "3"] : ["3"]))
    #expect(first.titles == ["1", "2"])
    second.cancel()
    // The latest element is released with its registration.
    await expect([.subscribed, .terminated])
    let third = read(songs)
    await expect([.subscribed, .terminated, .subscribed])
    mast.play()
    #expect(await third.titles(1) == ["4"], "the others were of another registration")
    third.cancel()
    await expect([.subscribed, .terminated, .subscribed, .terminated])
  }

  @Test(arguments: [Mast.Greeting.end, .fail, .release])
  func `an end reaches all readers after what came before, and a later reader registers anew`(
    end: Mast.Greeting
  ) async {
    let songs = songs.shared(replayingLatest: true)
    let first = read(songs)
    let second = read(songs)
    await expect([.subscribed])
    mast.play()
    #expect(await second.titles(1) == ["1"])
    mast.sendAll(end)
    // Before the readers have seen the end.
    let third = read(songs)
    await expect([.subscribed, .terminated, .subscribed], alive: 1)
    mast.play()
    let ending = end == .fail ? Reading.failure(.failed) : .end
    #expect(first.allReadings == [.element("1"), ending])
    #expect(second.allReadings == [.element("1"), ending])
    #expect(await third.titles(1) == ["2"])
    third.cancel()
    await expect([.subscribed, .terminated, .subscribed, .terminated])
  }

  @Test(arguments: [false, true], [false, true])
  func `an end inside the registration reaches the readers, and an error of it replaces all else`(
    replays: Bool,
    fails: Bool
  ) async {
    let watch = SequenceWatch(inSubscribe: { if fails { throw SDKError.failed } })
    let mast = Mast(greeting: [.play, .end])
    let songs = SendableCallbackSequence { SequenceForm.failing(mast, watch, nil) }
      .shared(replayingLatest: replays)
    for number in 1...2 {
      let read = read(songs)
      let readings = fails ? [Reading.failure(.failed)] : [.element("\(number)"), .end]
      while read.allReadings.count < readings.count { await Task.yield() }
      #expect(read.readings == readings)
    }
    while mast.removed.count < (fails ? 0 : 2) { await Task.yield() }
    #expect(watch.subscribed == 2)
    while mast.songsAlive.count > 0 { await Task.yield() }
    mast.release()  // It has kept the callbacks of both that threw.
  }

  @Test(arguments: [BufferingPolicy.newest(2), .oldest(2)])
  func `a registration holds no more than the policy allows`(policy: BufferingPolicy) async {
    let mast = Mast(greeting: Array(repeating: .play, count: 5))
    let held = Protected(0)
    let watch = SequenceWatch(
      policy,
      inSubscribe: { held.withLock { [alive = mast.songsAlive.count] in $0 = alive } }
    )
    let read = read(SendableCallbackSequence { SequenceForm.failing(mast, watch, nil) }.shared())
    #expect(await read.titles(2) == (policy == .newest(2) ? ["4", "5"] : ["1", "2"]))
    #expect(held.withLock { $0 } == 2)
    read.cancel()
  }

  @Test func `a shared sequence makes its source once to know it, and once for each registration`()
    async
  {
    let (mast, watch, made) = (mast, watch, Protected(0))
    let songs = SendableCallbackSequence<Song, Never> {
      made.withLock { $0 += 1 }
      return SequenceForm.finishing(Never.self, mast, watch, nil)
    }
    _ = songs.makeAsyncIterator()
    #expect(made.withLock { $0 } == 1)
    _ = songs.asyncStream()
    #expect(made.withLock { $0 } == 2)
    let shared = songs.shared()
    #expect(made.withLock { $0 } == 3)
    let readers = [TestRead(shared), TestRead(shared)]
    while readers.contains(where: \.allReadings.isEmpty) {
      mast.play()
      await Task.yield()
    }
    #expect(made.withLock { $0 } == 4)
    for reader in readers { reader.cancel() }
  }

  @Test(arguments: [false, true])
  func `a shared sequence registers at home for all who wait, and unregisters there after them`(
    replays: Bool
  ) async {
    WaitingCalls.startRecording()
    let actor = HandDrivenActor()
    let look: @Sendable () -> Void = { actor.preconditionIsolated() }
    let watch = SequenceWatch(inSubscribe: look, inTermination: look)
    let mast = Mast(greeting: [.play, .play])
    let songs = actor.makeShared(mast, watch, replays)
    let readers = [TestRead(songs), TestRead(songs)]
    for reader in readers { reader.perform(.run) }
    #expect(watch.events == [], "the home is busy")
    while actor.executor.isIdle { await Task.yield() }
    for _ in 1...100 {
      let isListed = WaitingCalls.all.contains { $0.callSite.fileID.contains("Cancellation/") }
      #expect(!isListed, "only the readers are")
      await Task.yield()
    }
    while watch.subscribed == 0 {
      actor.executor.runUntilIdle()
      await Task.yield()
    }
    for reader in readers { #expect(await reader.titles(2) == ["1", "2"]) }
    for reader in readers { reader.cancel() }
    #expect(readers.allSatisfy { $0.readings.last == .end }, "it does not wait for the home")
    #expect(watch.events == [.subscribed])
    mast.play()
    #expect(mast.refusals == 1, "the SDK learns that no reader is left")
    while watch.terminated == 0 {
      actor.executor.runUntilIdle()
      await Task.yield()
    }
  }

  /// The locks are not recursive: a call under one would never return.
  @Test(arguments: [false, true])
  func `a shared sequence wakes readers and releases elements with no lock held`(replays: Bool)
    async
  {
    let sdk = LockingSDK<OnRelease>()
    let released = Protected(0)
    let play: @Sendable () -> Void = {
      sdk.announce(
        OnRelease {
          released.withLock { $0 += 1 }
          sdk.announce(OnRelease {})
        }
      )
    }
    let reader = await read(sdk, sdk.elements(.newest(1)).shared(replayingLatest: replays))
    let before = reader.readings.count
    reader.executor.onEnqueue { sdk.announce(OnRelease {}) }
    play()
    #expect(released.withLock { $0 } == 1, "when it was woken, the first token was dropped")
    reader.executor.onEnqueue {}
    play()
    play()
    #expect(released.withLock { $0 } == 3)
    #expect(reader.allReadings.count == before + 1)
    play()
    reader.cancel()
    // Nothing is kept without a reader.
    while released.withLock({ $0 }) < 4 || sdk.isRegistered { await Task.yield() }
  }

  /// A reader that has got an element, and has read what there is.
  private func read(
    _ sdk: LockingSDK<OnRelease>,
    _ tokens: SendableCallbackSequence<OnRelease, Never>
  ) async -> TestRead {
    let reader = TestRead(tokens)
    while reader.allReadings.isEmpty {
      sdk.announce(OnRelease {})
      await Task.yield()
    }
    return reader
  }

  @Test func `the latest element is released with no lock held when the next one comes`() async {
    let sdk = LockingSDK<OnRelease>()
    let reader = await read(sdk, sdk.elements(.unbounded).shared(replayingLatest: true))
    let isReleased = Protected(false)
    sdk.announce(
      OnRelease {
        isReleased.withLock { $0 = true }
        sdk.announce(OnRelease {})
      }
    )
    reader.perform(.run)
    #expect(!isReleased.withLock { $0 }, "only for a later reader")
    sdk.announce(OnRelease {})
    #expect(isReleased.withLock { $0 })
    reader.cancel()
  }
}

extension HandDrivenActor {
  fileprivate nonisolated func makeShared(
    _ mast: Mast,
    _ watch: SequenceWatch,
    _ replays: Bool
  ) -> SendableCallbackSequence<Song, Never> {
    assumeIsolated { _ in
      AsyncCallbackSequence(buffering: .unbounded) { yield in
        watch.subscribe(Never.self) { FakeStation(mast).scan(yield) }
      } onTermination: {
        watch.terminate($0)
      }.sendable().shared(replayingLatest: replays)
    }
  }
}

extension TestRead {
  fileprivate convenience init<Songs: AsyncSequence & Sendable>(_ songs: Songs) {
    self.init { Reader(songs) { ($0 as? Song)?.title ?? "\($0)" } }
  }

  fileprivate func cancel() { perform(.cancel, .run) }

  /// After it has read what there is.
  fileprivate var allReadings: [Reading] {
    perform(.run)
    return readings
  }

  /// After it has read what there is.
  fileprivate var titles: [String] {
    perform(.run)
    return received
  }

  /// When it has read that many elements.
  fileprivate func titles(_ count: Int) async -> [String] {
    while titles.count < count { await Task.yield() }
    return titles
  }
}
