import CooperativeCancellation
import CooperativeCancellationTesting
import FakeCallbackSDK
import Testing

@Suite("Sequences: registered at once", .watchdog)
struct StartedSequenceTests {
  private let mast = Mast()
  private let watch = SequenceWatch()

  private func songs(
    isolation: isolated (any Actor)? = #isolation
  ) -> AsyncThrowingCallbackSequence<Song> {
    let (mast, watch) = (mast, watch)
    return AsyncThrowingCallbackSequence(buffering: .unbounded, isolation: isolation) {
      yield,
      finish in
      isolation?.preconditionIsolated()
      return try watch.subscribe { FakeStation(mast).stream(yield, completion: finish) }
    } onTermination: {
      isolation?.preconditionIsolated()
      watch.terminate($0)
    } onDiscard: {
      watch.discard($0.title)
    }
  }

  private func expectAll(isolation: isolated (any Actor)? = #isolation) async throws {
    let started = try songs().started()
    #expect(watch.events == [.subscribed])
    mast.play()
    mast.play()
    mast.end()
    var titles: [String] = []
    for try await song in started { titles.append(song.title) }
    #expect(titles == ["1", "2"])
    #expect(watch.events == [.subscribed, .terminated])
    for try await _ in started { Issue.record("it is read once") }
    #expect(mast.songsAlive.count == 0)
  }

  @Test
  func `elements wait from the registration on, and are read once`() async throws {
    try await expectAll()
  }

  @Test @MainActor
  func `on an actor, both closures run there`() async throws {
    try await expectAll()
  }

  @Test
  func `throws what the registration throws`() {
    let watch = SequenceWatch(inSubscribe: { throw SDKError.failed })
    let songs = AsyncThrowingCallbackSequence<Song>(buffering: .unbounded) { [mast] yield, finish in
      try watch.subscribe { FakeStation(mast).stream(yield, completion: finish) }
    } onTermination: {
      watch.terminate($0)
    }
    #expect(throws: SDKError.failed) { _ = try songs.started() }
    #expect(watch.events == [.subscribed])
  }

  @Test(arguments: [false, true])
  func `the release of what it returns unregisters, in a cancelled task, too`(isCancelled: Bool)
    async throws
  {
    let (watch, mast) = (watch, mast)
    let task = Task {
      if isCancelled { cancelThisTask() }
      do {
        let started = try songs().started()
        #expect(watch.events == [.subscribed])
        mast.play()
        withExtendedLifetime(started) {}
      }
      #expect(watch.events == [.subscribed, .discarded("1"), .terminated])
    }
    try await task.value
    #expect(mast.songsAlive.count == 0)
  }

  // MARK: The standard library's streams

  @Test @MainActor
  func `a stream made on an actor registers at once`() async throws {
    let stream = try songs().asyncThrowingStream()
    #expect(watch.events == [.subscribed])
    mast.play()
    mast.fail()
    var titles: [String] = []
    await #expect(throws: SDKError.failed) {
      for try await song in stream { titles.append(song.title) }
    }
    #expect(titles == ["1"])
    while watch.terminated == 0 { await Task.yield() }
    #expect(mast.songsAlive.count == 0)
  }

  @Test
  func `a stream of a Sendable sequence registers at the first read`() async throws {
    let (watch, mast) = (watch, mast)
    let stream = SendableCallbackSequence {
      AsyncCallbackSequence(buffering: .unbounded) { yield, finish in
        watch.subscribe(Never.self) { FakeStation(mast).listen(yield, end: finish) }
      } onTermination: {
        watch.terminate($0)
      } onDiscard: {
        watch.discard($0.title)
      }
    }.asyncStream()
    #expect(watch.events == [])
    let executor = ManualExecutor()
    let log = Protected<[String]>([])
    let task = Task(executorPreference: executor) {
      for await song in stream { log.withLock { $0.append(song.title) } }
    }
    executor.runUntilIdle()
    #expect(watch.events == [.subscribed])
    mast.play()
    executor.runUntilIdle()
    #expect(log.withLock { $0 } == ["1"])
    task.cancel()
    mast.play()
    executor.runUntilIdle()
    await task.value
    #expect(log.withLock { $0 } == ["1"])
    while watch.terminated == 0 { await Task.yield() }
    #expect(watch.discarded == ["2"])
    #expect(mast.songsAlive.count == 0)
  }

  @Test
  func `a stream that nobody reads registers nothing, and one that is released unregisters`() async
  {
    let (watch, mast) = (watch, mast)
    let songs = SendableCallbackSequence {
      AsyncCallbackSequence(buffering: .unbounded) { yield in
        watch.subscribe(Never.self) { FakeStation(mast).addListener(yield) }
      } onTermination: {
        watch.terminate($0)
      } onDiscard: {
        watch.discard($0.title)
      }
    }
    do { _ = songs.asyncStream() }
    #expect(watch.events == [])
    let task = Task {
      for await _ in songs.asyncStream() { break }
    }
    while watch.subscribed == 0 { await Task.yield() }
    mast.play()
    mast.play()
    await task.value
    while watch.terminated == 0 { await Task.yield() }
    #expect(watch.discarded == ["2"])
    #expect(mast.songsAlive.count == 0)
  }
}
