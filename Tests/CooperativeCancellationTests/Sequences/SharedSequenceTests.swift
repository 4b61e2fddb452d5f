import CooperativeCancellation
import CooperativeCancellationTesting
import FakeCallbackSDK
import Testing

/// An SDK whose elements run code when they are released. It has one slot for a handler.
private final class TokenSDK: Sendable {
  /// A bare closure would get another thunk each time it passes through the generic lock.
  private struct Slot {
    let handler: (@Sendable (OnRelease) -> Void)?
  }

  private let slot = Protected(Slot(handler: nil))

  var isRegistered: Bool { slot.withLock { $0 }.handler != nil }

  func play(onRelease: @escaping @Sendable () -> Void = {}) {
    slot.withLock { $0 }.handler?(OnRelease(onRelease))
  }

  private func set(_ new: Slot) {
    // Released outside the lock.
    let old = slot.withLock { slot in
      defer { slot = new }
      return slot
    }
    withExtendedLifetime(old) {}
  }

  func tokens(_ policy: BufferingPolicy) -> SendableCallbackSequence<OnRelease, Never> {
    SendableCallbackSequence {
      AsyncCallbackSequence(buffering: policy) { yield in
        self.set(Slot(handler: yield))
      } onTermination: {
        self.set(Slot(handler: nil))
      }
    }
  }
}

/// On a thread of their own, because some hold a registration, and with it a thread of the pool. One after another, because
/// each looks again and again for what happens on the pool's threads.
@Suite("Sequences: shared", .serialized, .watchdog, .ownThread)
struct SharedSequenceTests {
  private let mast = Mast()
  private let watch = SequenceWatch()

  private var songs: SendableCallbackSequence<Song, any Error> { songs(of: mast, watch) }

  private func songs(
    of mast: Mast,
    _ watch: SequenceWatch
  ) -> SendableCallbackSequence<Song, any Error> {
    SendableCallbackSequence {
      AsyncThrowingCallbackSequence(buffering: watch.policy) { yield, finish in
        try watch.subscribe { FakeStation(mast).stream(yield, completion: finish) }
      } onTermination: {
        watch.terminate($0)
      }
    }
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
    switch end {
    case .end: mast.end()
    case .fail: mast.fail()
    default: mast.release()
    }
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

  // MARK: The registration

  /// Reads until the sequence has ended.
  private func ending(of songs: SendableCallbackSequence<Song, any Error>) async -> [Reading] {
    let read = read(songs)
    while true {
      if let last = read.allReadings.last {
        guard case .element = last else { return read.readings }
      }
      await Task.yield()
    }
  }

  @Test(arguments: [false, true])
  func `an error of the registration reaches the readers, and nothing else does`(replays: Bool)
    async
  {
    let watch = SequenceWatch(inSubscribe: { throw SDKError.failed })
    let mast = Mast(greeting: [.play, .end])
    let songs = songs(of: mast, watch).shared(replayingLatest: replays)
    for _ in 1...2 { #expect(await ending(of: songs) == [.failure(.failed)]) }
    #expect(watch.events == [.subscribed, .subscribed])
    #expect(mast.songsAlive.count == 0)
    mast.release()  // It has kept the callbacks of both.
  }

  @Test(arguments: [false, true])
  func `what a registration yields, and its end, reach all who wait for it when it returns`(
    replays: Bool
  ) async {
    let (isRunning, mayReturn) = (Signal(), Gate())
    let watch = SequenceWatch(inSubscribe: {
      isRunning.fire()
      mayReturn.pass()
    })
    let songs = songs(of: mast, watch).shared(replayingLatest: replays)
    let first = read(songs)
    await isRunning.wait()
    mast.play()
    mast.play()
    let second = read(songs)
    mast.play()
    mast.end()
    mast.play()
    #expect(first.titles + second.titles == [])
    mayReturn.open()
    for reader in [first, second] {
      #expect(await reader.titles(3) == ["1", "2", "3"])
      while reader.allReadings.last != .end { await Task.yield() }
    }
    while watch.terminated == 0 || mast.songsAlive.count > 0 { await Task.yield() }
  }

  @Test
  func `a registration that runs for long hears that nobody reads`() async {
    let (isRunning, mayGoOn) = (Signal(), Gate())
    let answers = Protected<[Bool]>([])
    let songs = SendableCallbackSequence<Int, Never> {
      AsyncCallbackSequence(buffering: .newest(1)) { (yield: @escaping @Sendable (Int) -> Bool) in
        answers.withLock { $0.append(yield(1)) }
        isRunning.fire()
        mayGoOn.pass()
        answers.withLock { $0 += [yield(2), yield(3)] }
      } onTermination: {
      }
    }.shared(replayingLatest: true)
    let reader = TestRead(songs)
    reader.executor.runUntilIdle()
    await isRunning.wait()
    reader.cancel()
    #expect(reader.readings == [.end])
    mayGoOn.open()
    while answers.withLock({ $0.count }) < 3 { await Task.yield() }
    #expect(answers.withLock { $0 } == [true, false, false])
  }

  @Test
  func `makes its source once to know it, and once for each registration`() async {
    let (mast, made) = (mast, Protected(0))
    let songs = SendableCallbackSequence<Song, Never> {
      made.withLock { $0 += 1 }
      return AsyncCallbackSequence(buffering: .unbounded) {
        FakeStation(mast).addListener($0)
      } onTermination: {
        $0.remove()
      }
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

  @Test
  func `registers and unregisters on the home, for which no reader waits`() async {
    let actor = HandDrivenActor()
    let look: @Sendable () -> Void = { actor.preconditionIsolated() }
    let watch = SequenceWatch(inSubscribe: look, inTermination: look)
    let task = Task(executorPreference: actor.executor) { [mast] in
      await actor.makeShared(mast, watch)
    }
    while !actor.executor.isIdle { actor.executor.runUntilIdle() }
    let reader = TestRead(await task.value)
    reader.executor.runUntilIdle()
    #expect(watch.events == [], "the home is busy")
    while watch.subscribed == 0 {
      actor.executor.runUntilIdle()
      await Task.yield()
    }
    reader.cancel()
    #expect(reader.readings == [.end], "it does not wait for the home")
    #expect(watch.events == [.subscribed])
    while watch.terminated == 0 {
      actor.executor.runUntilIdle()
      await Task.yield()
    }
  }

  /// The locks are not recursive: a call under one would never return.
  @Test(arguments: [false, true])
  func `wakes readers and releases elements with no lock held`(replays: Bool) async {
    let sdk = TokenSDK()
    let released = Protected(0)
    let play: @Sendable () -> Void = {
      sdk.play {
        released.withLock { $0 += 1 }
        sdk.play()
      }
    }
    let reader = await read(sdk, sdk.tokens(.newest(1)).shared(replayingLatest: replays))
    let before = reader.readings.count
    reader.executor.onEnqueue { sdk.play() }
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
    _ sdk: TokenSDK,
    _ tokens: SendableCallbackSequence<OnRelease, Never>
  ) async -> TestRead {
    let reader = TestRead(tokens)
    while reader.allReadings.isEmpty {
      sdk.play()
      await Task.yield()
    }
    return reader
  }

  @Test
  func `the latest element is released with no lock held when the next one comes`() async {
    let sdk = TokenSDK()
    let reader = await read(sdk, sdk.tokens(.unbounded).shared(replayingLatest: true))
    let isReleased = Protected(false)
    sdk.play {
      isReleased.withLock { $0 = true }
      sdk.play()
    }
    reader.perform(.run)
    #expect(!isReleased.withLock { $0 }, "only for a later reader")
    sdk.play()
    #expect(isReleased.withLock { $0 })
    reader.cancel()
  }
}

extension HandDrivenActor {
  fileprivate func makeShared(
    _ mast: Mast,
    _ watch: SequenceWatch
  ) -> SendableCallbackSequence<Song, Never> {
    let station = FakeStation(mast)
    return AsyncCallbackSequence(buffering: .unbounded) { yield in
      watch.subscribe(Never.self) { station.addListener(yield) }
    } onTermination: {
      watch.terminate($0)
    }.sendable().shared()
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
