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
    case .cancel: #expect(readings.contains(form.cancelled))
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

  /// The registration hops to another actor, so that a second reader comes while it is under way.
  private struct Hop: ~Copyable {
    let home = HandDrivenActor()
    let readers = Readers()
    let mast: Mast
    let watch: SequenceWatch
    let tasks: [Task<Void, Never>]

    init(_ mast: Mast, _ watch: SequenceWatch) {
      self.mast = mast
      self.watch = watch
      let (home, readers) = (home, readers)
      Task(executorPreference: readers.executor) {
        await readers.make(await home.makeSendable(mast, watch))
      }
      Hop.run(home, readers)
      tasks = (1...2).map { _ in
        Task(executorPreference: readers.executor) { await readers.read() }
      }
      // Both ask, and the registration has not run.
      readers.executor.runUntilIdle()
    }

    deinit {
      let readers = readers
      Task(executorPreference: readers.executor) { await readers.forget() }
      run()
    }

    func run() { Hop.run(home, readers) }

    static func run(_ home: HandDrivenActor, _ readers: Readers) {
      while !(readers.executor.isIdle && home.executor.isIdle) {
        readers.executor.runUntilIdle()
        home.executor.runUntilIdle()
      }
    }

    var readings: [Reading] {
      let box = Protected<[Reading]>([])
      let readers = readers
      Task(executorPreference: readers.executor) {
        let readings = await readers.readings
        box.withLock { $0 = readings }
      }
      run()
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
  func `a second reader that is cancelled during the registration ends it once it returns`() {
    let hop = Hop(Mast(), SequenceWatch())
    hop.tasks[1].cancel()
    hop.readers.executor.runUntilIdle()
    #expect(hop.watch.events == [])
    hop.run()
    #expect(hop.watch.events == [.subscribed, .terminated])
    #expect(hop.readings == [.cancelled, .end])
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
    return AsyncThrowingCallbackSequence(buffering: .unbounded) { yield in
      try watch.trySubscribe { station.addSnapshots(yield) }
    } onTermination: {
      watch.terminate($0)
    }.sendable()
  }
}
