import CallbackSequences
import CooperativeCancellation
import FakeCallbackSDK
import Testing

/// Two tasks that call `next()` of copies of one iterator at the same time. This is wrong, but must
/// not hang or leak.
@Suite("Sequences: two readers of one iterator", .watchdog) struct ConcurrentReaderTests {
  /// Reads on an actor, where two tasks can share what is not `Sendable`.
  private actor Readers {
    let executor = HandDrivenExecutor()
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private var reader: Reader?
    var readings: [(reader: Int, reading: Reading)] = []

    func make(_ form: SequenceForm, _ mast: Mast, _ watch: SequenceWatch) {
      reader = form.read(FakeStation(mast), watch, self)
    }

    func make(_ songs: SendableCallbackSequence<Song, any Error>) {
      reader = Reader(songs, \.title)
    }

    /// The iterator of a sequence that was made here keeps this actor alive.
    func forget() { reader = nil }

    func read(_ number: Int) async {
      guard let reader else { return }
      let reading = await reader.next()
      readings.append((number, reading))
    }
  }

  /// Readers of one iterator, and the test's thread for all of them.
  private struct Stage: ~Copyable {
    /// The home of a sequence that is read elsewhere. What the readers ask of it waits until the
    /// test lets it run.
    let home = HandDrivenActor()
    let readers = Readers()
    let mast: Mast
    let watch: SequenceWatch
    let tasks: [Task<Void, Never>]

    /// Makes a sequence where its readers are, or, as `nil`, elsewhere. The readers have asked for
    /// an element.
    init(
      _ form: SequenceForm?,
      _ watch: SequenceWatch = SequenceWatch(),
      _ mast: Mast = Mast(),
      readerCount: Int
    ) {
      self.mast = mast
      self.watch = watch
      let readers = readers
      if let form {
        readers.assumeIsolated { $0.make(form, mast, watch) }
      } else {
        let songs = home.assumeIsolated { $0.makeSendable(mast, watch) }
        readers.assumeIsolated { $0.make(songs) }
      }
      tasks = (0..<readerCount).map { number in
        Task(executorPreference: readers.executor) { await readers.read(number) }
      }
      runReaders()
    }

    deinit {
      readers.assumeIsolated { $0.forget() }
      run()
    }

    func runReaders() { readers.executor.runUntilIdle() }

    func run() {
      while !(readers.executor.isIdle && home.executor.isIdle) {
        readers.executor.runUntilIdle()
        home.executor.runUntilIdle()
      }
    }

    var readings: [Reading] { received.map(\.reading) }

    /// What the readers have received so far, and which. The home does not run.
    var received: [(reader: Int, reading: Reading)] {
      runReaders()
      return readers.assumeIsolated { $0.readings }
    }
  }

  @Test(arguments: SequenceForm.local)
  func `each element goes to one of the readers, in the order of the elements`(form: SequenceForm) {
    let stage = Stage(form, readerCount: 3)
    #expect(stage.watch.subscribed == 1)
    for number in 1...3 {
      stage.mast.play()
      stage.run()
      #expect(stage.readings.count == number)
    }
    #expect(stage.readings == (1...3).map(form.element))
    #expect(stage.received.map(\.reader) == [0, 1, 2], "the one that has waited longest is next")
  }

  @Test(arguments: SequenceForm.local, WayToEnd.allCases)
  func `the end wakes all readers`(form: SequenceForm, way: WayToEnd) {
    guard way.exists(in: form), way != .leave else { return }
    let stage = Stage(form, readerCount: 3)
    if let end = way.greeting { stage.mast.sendAll(end) } else { stage.tasks[1].cancel() }
    stage.run()
    let readings = stage.readings
    #expect(readings.count == 3)
    #expect(Set(readings) == Set(way.readings(in: form) + [.end]))
    #expect(readings.count { $0 != .end } <= 1)
    #expect(stage.watch.terminated == 1)
  }

  @Test(arguments: SequenceForm.local.filter(\.throwing))
  func `a cancelled reader is never told that the sequence has ended`(form: SequenceForm) {
    let stage = Stage(form, readerCount: 3)
    for task in stage.tasks { task.cancel() }
    stage.run()
    #expect(stage.readings == [.cancelled, .cancelled, .cancelled])
    #expect(stage.watch.terminated == 1)
  }

  @Test
  func `a second reader waits for the registration of the first; policy and onDiscard apply`() {
    let mast = Mast(greeting: [.play, .play, .play])
    let stage = Stage(nil, SequenceWatch(.newest(2)), mast, readerCount: 2)
    #expect(mast.added == 0)
    stage.run()
    #expect(mast.added == 1)
    #expect(stage.readings == [.element("2"), .element("3")])
    #expect(stage.watch.discarded == ["1"])
  }

  @Test(arguments: [[0, 1], [1]])
  func `readers cancelled while the home is busy do not wait, and nothing is registered`(
    cancelled: [Int]
  ) {
    let stage = Stage(nil, readerCount: 2)
    for reader in cancelled { stage.tasks[reader].cancel() }
    let readings = cancelled.map { _ in Reading.cancelled }
    #expect(stage.readings == readings)
    stage.run()
    // The sequence has ended for the other one, too.
    #expect(stage.readings == readings + (cancelled.count == 1 ? [.end] : []))
    #expect(stage.watch.events == [])
  }

  @Test func `a home that is free before its cancelled reader registers nothing`() {
    let stage = Stage(nil, readerCount: 1)
    stage.tasks[0].cancel()
    stage.home.executor.runUntilIdle()
    #expect(stage.watch.events == [])
    #expect(stage.readings == [.cancelled])
  }

  @Test(arguments: [0, 1])
  func `a registration that returns to a cancelled reader is terminated`(reader: Int) {
    let tasks = Protected<[Task<Void, Never>]>([])
    let watch = SequenceWatch(inSubscribe: { tasks.withLock { $0[reader].cancel() } })
    let stage = Stage(nil, watch, Mast(greeting: [.play]), readerCount: 2)
    tasks.withLock { $0 = stage.tasks }
    stage.run()
    #expect(watch.events.first == .subscribed)
    #expect(watch.terminated == 1)
    #expect(watch.discarded == ["1"])
    #expect(Set(stage.readings) == [.cancelled, .end])
  }

  @Test(arguments: [[SequenceStep.cancel], [.fail], [.fail, .cancel]])
  func `a reader at the end waits for a busy home to unregister, unless it is cancelled`(
    steps: [SequenceStep]
  ) {
    let stage = Stage(nil, readerCount: 1)
    stage.run()
    for step in steps {
      if step == .fail { stage.mast.fail() } else { stage.tasks[0].cancel() }
      stage.runReaders()
    }
    let readings = [steps == [.cancel] ? Reading.cancelled : .failure(.failed)]
    #expect(stage.readings == (steps.last == .cancel ? readings : []))
    #expect(stage.watch.events == [.subscribed])
    stage.run()
    #expect(stage.readings == readings)
    #expect(stage.watch.events == [.subscribed, .terminated])
  }
}

extension HandDrivenActor {
  /// A sequence that nonisolated code has made has its home where it becomes `Sendable`.
  fileprivate func makeSendable(
    _ mast: Mast,
    _ watch: SequenceWatch
  ) -> SendableCallbackSequence<Song, any Error> {
    SequenceForm.failing(mast, watch, nil).sendable()
  }
}
