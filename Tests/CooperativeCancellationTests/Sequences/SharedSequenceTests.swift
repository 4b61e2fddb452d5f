import CooperativeCancellation
import CooperativeCancellationTesting
import FakeCallbackSDK
import Testing

/// A station whose only slot for a handler is set and cleared.
private final class SingleSlotStation<Element: Sendable>: Sendable {
  typealias Handler = @Sendable (Element) -> Void

  /// A bare closure would get another thunk each time it passes through the generic lock.
  private struct Slot {
    let handler: Handler?
  }

  private let slot = Protected(Slot(handler: nil))
  let events = Protected<[String]>([])

  var handler: Handler? {
    get { slot.withLock { $0 }.handler }
    set {
      events.withLock { $0.append(newValue == nil ? "clears" : "sets") }
      // Released outside the lock.
      let old = slot.withLock { slot in
        defer { slot = Slot(handler: newValue) }
        return slot
      }
      withExtendedLifetime(old) {}
    }
  }

  func elements(_ policy: BufferingPolicy = .unbounded) -> SendableCallbackSequence<Element, Never>
  {
    SendableCallbackSequence {
      AsyncCallbackSequence(buffering: policy) { yield in
        self.handler = yield
      } onTermination: {
        self.handler = nil
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

  @Test(arguments: [false, true])
  func `all readers share one registration, and a new one begins with the latest, if asked for`(
    replays: Bool
  ) async {
    let songs = songs.shared(replayingLatest: replays)
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
    #expect(second.titles == (replays ? ["2", "3"] : ["3"]))
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
    func count(_ body: () async -> Void) async -> Int {
      made.withLock { $0 = 0 }
      await body()
      return made.withLock { $0 }
    }
    #expect(await count { _ = songs.makeAsyncIterator() } == 1)
    #expect(await count { _ = songs.asyncStream() } == 1)
    let shared = songs.shared()
    let readers = [TestRead(shared), TestRead(shared)]
    let forReaders = await count {
      for reader in readers { reader.executor.runUntilIdle() }
      while readers.contains(where: \.readings.isEmpty) {
        mast.play()
        for reader in readers { reader.executor.runUntilIdle() }
        await Task.yield()
      }
    }
    #expect(forReaders == 1)
    for reader in readers { reader.cancel() }
  }

  @Test
  func `registers and unregisters on the home, for which no reader waits`() async {
    let (actor, station) = (HandDrivenActor(), SingleSlotStation<Int>())
    let reader = TestRead(await makeNumbers(station, on: actor))
    reader.executor.runUntilIdle()
    #expect(station.events.withLock { $0 } == [], "the home is busy")
    while station.handler == nil {
      actor.executor.runUntilIdle()
      await Task.yield()
    }
    reader.cancel()
    #expect(reader.readings == [.end], "it does not wait for the home")
    #expect(station.events.withLock { $0 } == ["sets"])
    while station.handler != nil {
      actor.executor.runUntilIdle()
      await Task.yield()
    }
  }

  @Test
  func `a shared sequence may be shared again`() async {
    let songs = songs.shared().shared(replayingLatest: true)
    let first = read(songs)
    await expect([.subscribed])
    mast.play()
    #expect(await first.titles(1) == ["1"])
    let second = read(songs)
    #expect(second.titles == ["1"])
    first.cancel()
    second.cancel()
    await expect([.subscribed, .terminated])
  }

  /// The locks are not recursive: a call under one would never return.
  @Test(arguments: [false, true])
  func `wakes readers and releases elements with no lock held`(replays: Bool) async {
    let station = SingleSlotStation<OnRelease>()
    let tokens = station.elements(.newest(1)).shared(replayingLatest: replays)
    let released = Protected(0)
    let play: @Sendable () -> Void = {
      station.handler?(
        OnRelease {
          released.withLock { $0 += 1 }
          station.handler?(OnRelease {})
        }
      )
    }
    let reader = TestRead(tokens)
    while reader.allReadings.isEmpty {
      station.handler?(OnRelease {})
      await Task.yield()
    }
    let before = reader.readings.count
    reader.executor.onEnqueue { station.handler?(OnRelease {}) }
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
    while released.withLock({ $0 }) < 4 || station.handler != nil { await Task.yield() }
    #expect(station.events.withLock { $0 } == ["sets", "clears"])
  }

  @Test
  func `the latest element is released with no lock held when the next one comes`() async {
    let (station, executor) = (SingleSlotStation<OnRelease>(), ManualExecutor())
    let tokens = station.elements().shared(replayingLatest: true)
    let count = Protected(0)
    let reader = Task(executorPreference: executor) {
      for await _ in tokens { count.withLock { $0 += 1 } }
    }
    while count.withLock({ $0 }) == 0 {
      executor.runUntilIdle()
      station.handler?(OnRelease {})
      await Task.yield()
    }
    executor.runUntilIdle()
    let isReleased = Protected(false)
    station.handler?(
      OnRelease {
        isReleased.withLock { $0 = true }
        station.handler?(OnRelease {})
      }
    )
    executor.runUntilIdle()
    #expect(!isReleased.withLock { $0 }, "only for a later reader")
    station.handler?(OnRelease {})
    #expect(isReleased.withLock { $0 })
    reader.cancel()
    executor.runUntilIdle()
    await reader.value
  }
}

/// The closures assert that they run on the home.
private func makeNumbers(
  _ station: SingleSlotStation<Int>,
  on actor: HandDrivenActor
) async -> SendableCallbackSequence<Int, Never> {
  func make(_ actor: isolated HandDrivenActor) -> SendableCallbackSequence<Int, Never> {
    AsyncCallbackSequence(buffering: .unbounded) { yield in
      actor.preconditionIsolated()
      station.handler = yield
    } onTermination: {
      actor.preconditionIsolated()
      station.handler = nil
    }.sendable().shared()
  }
  let task = Task(executorPreference: actor.executor) { await make(actor) }
  while !actor.executor.isIdle { actor.executor.runUntilIdle() }
  return await task.value
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
