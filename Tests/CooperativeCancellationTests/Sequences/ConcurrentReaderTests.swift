import CooperativeCancellation
import FakeCallbackSDK
import Testing

/// Two tasks that call `next()` of copies of one iterator at the same time. This is wrong, but must not hang or leak.
@Suite("Sequences: two readers of one iterator", .watchdog)
struct ConcurrentReaderTests {
  /// Reads on an actor, where two tasks can share what is not `Sendable`.
  private actor Readers {
    let executor = HandDrivenExecutor()
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private var reader: Reader?
    var readings: [Reading] = []

    func make(_ form: SequenceForm, _ mast: Mast, _ watch: SequenceWatch) {
      reader = form.read(FakeStation(mast), watch, self)
    }

    func make(_ songs: SendableThrowingCallbackSequence<Song>) {
      reader = Reader(songs, \.title)
    }

    /// The iterator of a sequence that was made here keeps this actor alive.
    func forget() {
      reader = nil
    }

    func read() async {
      guard let reader else { return }
      let reading = await reader.next()
      readings.append(reading)
    }
  }

  /// Three readers of one iterator, and the test's thread for all of them.
  private struct Stage: ~Copyable {
    let readers = Readers()
    let mast: Mast
    let watch: SequenceWatch
    private(set) var tasks: [Task<Void, Never>] = []

    init(_ form: SequenceForm, _ watch: SequenceWatch = SequenceWatch(), _ mast: Mast = Mast()) {
      self.mast = mast
      self.watch = watch
      let readers = readers
      perform { await readers.make(form, mast, watch) }
      for _ in 1...3 {
        tasks.append(Task(executorPreference: readers.executor) { await readers.read() })
        run()
      }
    }

    deinit {
      let readers = readers
      perform { await readers.forget() }
    }

    func run() { readers.executor.runUntilIdle() }

    func perform(_ body: @escaping @Sendable () async -> Void) {
      Task(executorPreference: readers.executor) { await body() }
      run()
    }

    var readings: [Reading] {
      let box = Protected<[Reading]>([])
      let readers = readers
      perform {
        let readings = await readers.readings
        box.withLock { $0 = readings }
      }
      return box.withLock { $0 }
    }
  }

  @Test(arguments: SequenceForm.plain + SequenceForm.throwingForms)
  func `each element goes to one of the readers, in the order of the elements`(form: SequenceForm) {
    let stage = Stage(form)
    #expect(stage.watch.subscribed == 1)
    for number in 1...3 {
      stage.mast.play()
      stage.run()
      #expect(stage.readings.count == number)
    }
    #expect(stage.readings == (1...3).map(form.element))
  }

  @Test(arguments: SequenceForm.plain + SequenceForm.throwingForms, WayToEnd.allCases)
  func `the end wakes all readers`(form: SequenceForm, way: WayToEnd) {
    guard way.exists(in: form), way != .leave else { return }
    let stage = Stage(form)
    switch way {
    case .finish: stage.mast.end()
    case .failure: stage.mast.fail()
    case .release: stage.mast.release()
    case .cancel, .leave: stage.tasks[1].cancel()
    }
    stage.run()
    let readings = stage.readings
    #expect(readings.count == 3)
    switch way {
    case .finish, .release, .leave: #expect(readings == [.end, .end, .end])
    case .failure: #expect(Set(readings.map { "\($0)" }) == ["\(form.failed)", "\(Reading.end)"])
    case .cancel: #expect(readings.filter { $0 != .end } == (form.throwing ? [.cancelled] : []))
    }
    #expect(stage.watch.terminated == 1)
  }

  @Test(arguments: SequenceForm.throwingForms)
  func `a cancelled reader is never told that the sequence has ended`(form: SequenceForm) {
    let stage = Stage(form)
    for task in stage.tasks { task.cancel() }
    stage.run()
    #expect(stage.readings == [.cancelled, .cancelled, .cancelled])
    #expect(stage.watch.terminated == 1)
  }

  /// The readers are elsewhere: what they ask of the sequence's home waits until the test lets it run.
  private struct Hop: ~Copyable {
    let home = HandDrivenActor()
    let readers = Readers()
    let mast: Mast
    let watch: SequenceWatch
    let tasks: [Task<Void, Never>]

    init(_ mast: Mast, _ watch: SequenceWatch, readerCount: Int = 2) {
      self.mast = mast
      self.watch = watch
      let (home, readers) = (home, readers)
      Task(executorPreference: readers.executor) {
        await readers.make(await home.makeSendable(mast, watch))
      }
      Hop.run(home, readers)
      tasks = (0..<readerCount).map { _ in
        Task(executorPreference: readers.executor) { await readers.read() }
      }
      // All ask, and the registration has not run.
      runReaders()
    }

    deinit {
      let readers = readers
      Task(executorPreference: readers.executor) { await readers.forget() }
      run()
    }

    func runReaders() { readers.executor.runUntilIdle() }

    func run() { Hop.run(home, readers) }

    static func run(_ home: HandDrivenActor, _ readers: Readers) {
      while !(readers.executor.isIdle && home.executor.isIdle) {
        readers.executor.runUntilIdle()
        home.executor.runUntilIdle()
      }
    }

    /// What the readers have received so far. The home does not run.
    var readings: [Reading] {
      let box = Protected<[Reading]>([])
      let readers = readers
      Task(executorPreference: readers.executor) {
        let readings = await readers.readings
        box.withLock { $0 = readings }
      }
      runReaders()
      return box.withLock { $0 }
    }
  }

  @Test
  func `a second reader waits for the registration of the first`() {
    let hop = Hop(Mast(greeting: [.play, .play]), SequenceWatch())
    #expect(hop.mast.added == 0)
    hop.run()
    #expect(hop.mast.added == 1)
    #expect(hop.readings.count == 2)
  }

  @Test
  func `readers cancelled while the home is busy do not wait, and nothing is registered`() {
    let hop = Hop(Mast(), SequenceWatch())
    for task in hop.tasks { task.cancel() }
    #expect(hop.readings == [.cancelled, .cancelled])
    hop.run()
    #expect(hop.watch.events == [])
  }

  @Test
  func `a second reader cancelled while the home is busy ends the sequence for the first`() {
    let hop = Hop(Mast(), SequenceWatch())
    hop.tasks[1].cancel()
    #expect(hop.readings == [.cancelled])
    hop.run()
    #expect(hop.readings == [.cancelled, .end])
    #expect(hop.watch.events == [])
  }

  @Test(arguments: [0, 1])
  func `a registration that returns to a cancelled reader is terminated`(reader: Int) {
    let tasks = Protected<[Task<Void, Never>]>([])
    let watch = SequenceWatch(inSubscribe: { tasks.withLock { $0[reader].cancel() } })
    let hop = Hop(Mast(greeting: [.play]), watch)
    tasks.withLock { $0 = hop.tasks }
    hop.run()
    #expect(watch.events.first == .subscribed)
    #expect(watch.terminated == 1)
    #expect(watch.discarded == ["1"])
    #expect(Set(hop.readings) == [.cancelled, .end])
  }

  @Test
  func `a cancelled reader does not wait for a busy home to unregister`() {
    let hop = Hop(Mast(), SequenceWatch(), readerCount: 1)
    hop.run()
    hop.tasks[0].cancel()
    #expect(hop.readings == [.cancelled])
    #expect(hop.watch.events == [.subscribed])
    hop.run()
    #expect(hop.watch.events == [.subscribed, .terminated])
  }

  @Test(arguments: [false, true])
  func `a reader at the end waits for the home to unregister, until it is cancelled`(
    isCancelled: Bool
  ) {
    let hop = Hop(Mast(), SequenceWatch(), readerCount: 1)
    hop.run()
    hop.mast.fail()
    #expect(hop.readings == [])
    if isCancelled {
      hop.tasks[0].cancel()
      #expect(hop.readings == [.failure(.failed)])
      #expect(hop.watch.terminated == 0)
    }
    hop.run()
    #expect(hop.readings == [.failure(.failed)])
    #expect(hop.watch.events == [.subscribed, .terminated])
  }

  @Test
  func `a sendable sequence keeps the buffering policy and onDiscard`() {
    let hop = Hop(
      Mast(greeting: [.play, .play, .play]),
      SequenceWatch(.newest(1)),
      readerCount: 1
    )
    hop.run()
    #expect(hop.readings == [.element("3")])
    #expect(hop.watch.discarded == ["1", "2"])
  }

  @Test
  func `a registration that throws wakes a second reader`() {
    let hop = Hop(Mast(), SequenceWatch(inSubscribe: { throw SDKError.failed }))
    hop.run()
    #expect(Set(hop.readings.map { "\($0)" }) == ["\(Reading.failure(.failed))", "\(Reading.end)"])
    #expect(hop.watch.terminated == 0)
  }
}

extension HandDrivenActor {
  fileprivate func makeSendable(
    _ mast: Mast,
    _ watch: SequenceWatch
  ) -> SendableThrowingCallbackSequence<Song> {
    let station = FakeStation(mast)
    return AsyncThrowingCallbackSequence(buffering: watch.policy) { yield in
      try watch.trySubscribe { station.addSnapshots(yield) }
    } onTermination: {
      watch.terminate($0)
    } onDiscard: {
      watch.discard($0.title)
    }.sendable()
  }
}
