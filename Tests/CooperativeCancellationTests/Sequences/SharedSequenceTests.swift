import CooperativeCancellation
import CooperativeCancellationTesting
import FakeCallbackSDK
import Testing

/// A station whose only slot for a handler is set and cleared.
private final class SingleSlotStation<Element: Sendable>: Sendable {
  typealias Handler = @Sendable (Element) -> Void

  private let slot = Protected<Handler?>(nil)
  let events = Protected<[String]>([])

  var handler: Handler? {
    get { slot.withLock { $0 } }
    set {
      events.withLock { $0.append(newValue == nil ? "clears" : "sets") }
      // Released outside the lock.
      let old = slot.withLock { slot in
        defer { slot = newValue }
        return slot
      }
      withExtendedLifetime(old) {}
    }
  }

  func elements(_ policy: BufferingPolicy = .unbounded) -> SendableCallbackSequence<Element> {
    SendableCallbackSequence {
      AsyncCallbackSequence(buffering: policy) { yield in
        self.handler = yield
      } onTermination: {
        self.handler = nil
      }
    }
  }
}

/// Calls back when it is released.
private final class Token: Sendable {
  private let onRelease: @Sendable () -> Void

  init(_ onRelease: @escaping @Sendable () -> Void) {
    self.onRelease = onRelease
  }

  deinit { onRelease() }
}

@Suite("Sequences: shared", .watchdog)
struct SharedSequenceTests {
  private let mast = Mast()
  private let watch = SequenceWatch()

  private var songs: SendableThrowingCallbackSequence<Song> { songs(of: mast, watch) }

  private func songs(
    of mast: Mast,
    _ watch: SequenceWatch
  ) -> SendableThrowingCallbackSequence<Song> {
    SendableThrowingCallbackSequence {
      AsyncThrowingCallbackSequence(buffering: watch.policy) { yield, finish in
        try watch.subscribe { FakeStation(mast).stream(yield, completion: finish) }
      } onTermination: {
        watch.terminate($0)
      }
    }
  }

  private func read(
    _ songs: SendableThrowingCallbackSequence<Song>,
    limit: Int = .max
  ) -> SharedRead {
    let read = SharedRead(songs, limit: limit)
    read.executor.runUntilIdle()
    return read
  }

  @Test
  func `all readers share one registration, which begins and ends with them`() {
    let songs = songs.shared()
    #expect(watch.events == [])
    let first = read(songs)
    let second = read(songs)
    #expect(watch.events == [.subscribed])
    mast.play()
    mast.play()
    #expect(first.titles == ["1", "2"])
    first.cancel()
    #expect(first.readings.last == .cancelled)
    #expect(watch.events == [.subscribed])
    mast.play()
    #expect(second.titles == ["1", "2", "3"])
    #expect(first.titles == ["1", "2"])
    second.cancel()
    #expect(watch.events == [.subscribed, .terminated])
    #expect(mast.songsAlive.count == 0)
    let third = read(songs)
    mast.play()
    #expect(third.titles == ["4"])
    third.cancel()
    #expect(watch.events == [.subscribed, .terminated, .subscribed, .terminated])
  }

  @Test(arguments: [false, true])
  func `a new reader begins with the latest element, if that is asked for`(replays: Bool) {
    let songs = songs.shared(replayingLatest: replays)
    let first = read(songs)
    mast.play()
    mast.play()
    let second = read(songs)
    #expect(second.titles == (replays ? ["2"] : []))
    mast.play()
    #expect(second.titles == (replays ? ["2", "3"] : ["3"]))
    first.cancel()
    second.cancel()
    #expect(mast.songsAlive.count == 0, "the latest element is released with its registration")
    let third = read(songs)
    #expect(third.titles == [], "it was of another registration")
    third.cancel()
  }

  @Test(arguments: [Mast.Greeting.end, .fail, .release])
  func `an end reaches all readers after what came before, and a later reader registers anew`(
    end: Mast.Greeting
  ) {
    let songs = songs.shared(replayingLatest: true)
    let first = read(songs)
    let second = read(songs)
    mast.play()
    switch end {
    case .end: mast.end()
    case .fail: mast.fail()
    default: mast.release()
    }
    // Before the readers have seen the end.
    let third = read(songs)
    mast.play()
    let ending = end == .fail ? Reading.failure(.failed) : .end
    #expect(first.allReadings == [.element("1"), ending])
    #expect(second.allReadings == [.element("1"), ending])
    #expect(third.allReadings == [.element("2")])
    #expect(watch.events == [.subscribed, .terminated, .subscribed])
    third.cancel()
    #expect(watch.events == [.subscribed, .terminated, .subscribed, .terminated])
    #expect(mast.songsAlive.count == 0)
  }

  @Test
  func `an error of the registration reaches the readers, and nothing is unregistered`() {
    let watch = SequenceWatch(inSubscribe: { throw SDKError.failed })
    let mast = mast
    let songs = songs(of: mast, watch).shared()
    for _ in 1...2 { #expect(read(songs).allReadings == [.failure(.failed)]) }
    #expect(watch.events == [.subscribed, .subscribed])
    mast.release()  // It has kept the callbacks of both.
  }

  @Test
  func `an end during the registration ends it when it returns`() {
    let mast = Mast(greeting: [.play, .end, .play])
    let watch = watch
    let songs = songs(of: mast, watch).shared()
    #expect(read(songs).allReadings == [.element("1"), .end])
    #expect(watch.events == [.subscribed, .terminated])
    #expect(mast.songsAlive.count == 0)
  }

  @Test
  func `readers that leave a loop, or are released before the end, unregister`() {
    let songs = songs.shared()
    let leaving = read(songs, limit: 1)
    mast.play()
    #expect(leaving.titles == ["1"])
    #expect(watch.events == [.subscribed, .terminated])
    let left = read(songs, limit: 0)
    #expect(left.readings == [])
    #expect(watch.events == [.subscribed, .terminated])
  }

  @Test
  func `over an SDK with one slot, each reader hears, in whatever order they come and go`() {
    let station = SingleSlotStation<Int>()
    let numbers = station.elements().shared()
    func read() -> SharedRead {
      let read = SharedRead(numbers)
      read.executor.runUntilIdle()
      return read
    }
    let first = read()
    let second = read()
    station.handler?(1)
    #expect(first.titles == ["1"])
    first.cancel()
    let third = read()
    station.handler?(2)
    #expect(second.titles == ["1", "2"])
    #expect(third.titles == ["2"])
    second.cancel()
    third.cancel()
    #expect(station.events.withLock { $0 } == ["sets", "clears"])
  }

  @Test
  func `on a busy home, a registration begins when the one before has been ended`() async {
    let actor = HandDrivenActor()
    var split = Split(of: ["registers anew", "is still registered"])
    while split.goesOn(for: 20) {
      let station = SingleSlotStation<Int>()
      let numbers = await makeNumbers(station, on: actor)
      let first = SharedRead(numbers)
      first.executor.runUntilIdle()
      #expect(station.events.withLock { $0 } == [], "the home is busy")
      actor.executor.runUntilIdle()
      // The driver may have seen that it is registered, or not.
      if Bool.random() { await Task.yield() }
      first.cancel()
      #expect(first.readings == [.end], "it does not wait for the home")
      let second = SharedRead(numbers)
      second.executor.runUntilIdle()
      while second.readings.isEmpty {
        actor.executor.runUntilIdle()
        station.handler?(1)
        second.executor.runUntilIdle()
        await Task.yield()
      }
      let events = station.events.withLock { $0 }
      #expect(events == ["sets"] || events == ["sets", "clears", "sets"])
      split[events.count == 1 ? "is still registered" : "registers anew"] += 1
      second.cancel()
      while station.handler != nil {
        actor.executor.runUntilIdle()
        await Task.yield()
      }
    }
  }

  @Test
  func `a shared sequence may be shared again`() {
    let songs = songs.shared().shared(replayingLatest: true)
    let first = read(songs)
    mast.play()
    let second = read(songs)
    #expect(watch.events == [.subscribed])
    #expect(first.titles == ["1"])
    #expect(second.titles == ["1"])
    first.cancel()
    second.cancel()
    #expect(watch.events == [.subscribed, .terminated])
  }

  /// The locks are not recursive: a call under one would never return.
  @Test(arguments: [false, true])
  func `wakes readers and releases elements with no lock held`(replays: Bool) {
    let station = SingleSlotStation<Token>()
    let tokens = station.elements(.newest(1)).shared(replayingLatest: replays)
    let released = Protected(0)
    let play: @Sendable () -> Void = {
      station.handler?(
        Token {
          released.withLock { $0 += 1 }
          station.handler?(Token {})
        }
      )
    }
    let reader = SharedRead(tokens)
    reader.executor.runUntilIdle()
    reader.executor.onEnqueue { station.handler?(Token {}) }
    play()
    #expect(released.withLock { $0 } == 1, "when it was woken, the first token was dropped")
    reader.executor.onEnqueue {}
    play()
    play()
    #expect(released.withLock { $0 } == 3)
    #expect(reader.allReadings.count == 1)
    play()
    reader.cancel()
    #expect(released.withLock { $0 } == 4, "nothing is kept without a reader")
    #expect(station.events.withLock { $0 } == ["sets", "clears"])
  }

  @Test
  func `the latest element is released with no lock held when the next one comes`() async {
    let (station, executor) = (SingleSlotStation<Token>(), ManualExecutor())
    let tokens = station.elements().shared(replayingLatest: true)
    let reader = Task(executorPreference: executor) { for await _ in tokens {} }
    executor.runUntilIdle()
    let isReleased = Protected(false)
    station.handler?(
      Token {
        isReleased.withLock { $0 = true }
        station.handler?(Token {})
      }
    )
    executor.runUntilIdle()
    #expect(!isReleased.withLock { $0 }, "only for a later reader")
    station.handler?(Token {})
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
) async -> SendableCallbackSequence<Int> {
  func make(_ actor: isolated HandDrivenActor) -> SendableCallbackSequence<Int> {
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

/// One reader of a shared sequence, in a task of its own, on the thread of the test.
private final class SharedRead: Sendable {
  let executor = ManualExecutor()
  private let task: Task<Void, Never>
  private let log = Protected<[Reading]>([])

  init<Songs: AsyncSequence & Sendable>(_ songs: Songs, limit: Int = .max) {
    task = Task(executorPreference: executor) { [log] in
      let reader = Reader(songs) { element in
        (element as? Song)?.title ?? "\(element)"
      }
      var count = 0
      while count < limit {
        let reading = await reader.next()
        log.withLock { $0.append(reading) }
        guard case .element = reading else { break }
        count += 1
      }
    }
  }

  func cancel() {
    task.cancel()
    executor.runUntilIdle()
  }

  /// After it has read what there is.
  var allReadings: [Reading] {
    executor.runUntilIdle()
    return readings
  }

  var readings: [Reading] { log.withLock { $0 } }

  /// After it has read what there is.
  var titles: [String] {
    allReadings.compactMap { if case .element(let title) = $0 { title } else { nil } }
  }
}
