import CallbackSequences
import CooperativeCancellation
import CooperativeCancellationTesting
import FakeCallbackSDK
import Foundation
import Testing

/// A way to make one of the standard library's streams, for the tests that run over all of them.
private struct StreamForm: Sendable, CustomTestStringConvertible {
  typealias Open = @Sendable (Mast, SequenceWatch) async -> @Sendable () -> Reader

  /// When a stream registers: before the call returns, at its first read, or soon if it is shared,
  /// and discards nothing.
  enum Start { case now, atFirstRead, soon }

  let testDescription: String
  let isThrowing: Bool
  let start: Start
  /// The actor on which both closures run.
  let home: (any Actor)?
  let open: Open

  init(
    _ testDescription: String,
    isThrowing: Bool = false,
    _ start: Start = .now,
    home: (any Actor)? = nil,
    open: @escaping Open
  ) {
    self.testDescription = testDescription
    self.isThrowing = isThrowing
    self.start = start
    self.home = home
    self.open = open
  }

  static let all = [
    StreamForm("of a sequence, on its actor", home: MainActor.shared) { @MainActor in
      reading(SequenceForm.finishing(Never.self, $0, $1, #isolation).asyncStream())
    },
    StreamForm("throwing, of a sequence, on its actor", isThrowing: true, home: MainActor.shared) {
      @MainActor in reading(SequenceForm.failing($0, $1, #isolation).asyncThrowingStream())
    },
    StreamForm("of a Sendable sequence") { mast, watch in
      reading(
        SendableCallbackSequence { SequenceForm.finishing(Never.self, mast, watch, nil) }
          .asyncStream()
      )
    },
    StreamForm("throwing, of a Sendable sequence", isThrowing: true) { mast, watch in
      reading(
        SendableCallbackSequence { SequenceForm.failing(mast, watch, nil) }.asyncThrowingStream()
      )
    },
    StreamForm("of a sequence without a home", home: MainActor.shared) { @MainActor in
      reading(SequenceForm.finishing(Never.self, $0, $1, nil).asyncStream())
    },
    StreamForm("with a home", .atFirstRead, home: MainActor.shared) { @MainActor in
      reading(SequenceForm.finishing(Never.self, $0, $1, #isolation).sendable().asyncStream())
    },
    StreamForm("throwing, with a home", isThrowing: true, .atFirstRead, home: MainActor.shared) {
      @MainActor in
      reading(SequenceForm.failing($0, $1, #isolation).sendable().asyncThrowingStream())
    },
    StreamForm("shared", .soon) { mast, watch in
      let songs = SendableCallbackSequence { SequenceForm.finishing(Never.self, mast, watch, nil) }
      return reading(songs.shared().asyncStream())
    },
    StreamForm("throwing, shared, with a home", isThrowing: true, .soon, home: MainActor.shared) {
      @MainActor in
      reading(SequenceForm.failing($0, $1, #isolation).sendable().shared().asyncThrowingStream())
    },
    StreamForm("made of callbacks") { mast, watch in
      reading(
        AsyncStream(buffering: watch.policy, line: watch.line) { yield, finish in
          watch.subscribe(Never.self) { FakeStation(mast).listen(yield, end: finish) }
        } onTermination: {
          watch.terminate($0)
        } onDiscard: {
          watch.discard($0.title)
        }
      )
    },
    StreamForm("throwing, made of callbacks", isThrowing: true) { mast, watch in
      reading(
        AsyncThrowingStream(buffering: watch.policy, line: watch.line) { yield, finish in
          try watch.subscribe { FakeStation(mast).stream(yield, completion: finish) }
        } onTermination: {
          watch.terminate($0)
        } onDiscard: {
          watch.discard($0.title)
        }
      )
    },
  ]

  private static func reading<Songs: AsyncSequence & Sendable>(
    _ songs: Songs
  ) -> @Sendable () -> Reader where Songs.Element == Song {
    { Reader(songs, \.title) }
  }
}

@Suite("Sequences: the standard library's streams", .watchdog) struct StandardStreamTests {
  private let mast = Mast()

  /// Waits for the end of the subscription, which comes soon after that of the stream.
  private func expectTermination(_ watch: SequenceWatch, discarded: [String] = []) async {
    while watch.terminated == 0 || mast.songsAlive.count > 0 { await Task.yield() }
    #expect(watch.subscribed == 1)
    #expect(watch.terminated == 1)
    #expect(watch.discarded == discarded)
  }

  /// Runs the reader until it has registered, and has received that many elements and ends.
  private func run(_ read: TestRead, until count: Int = 0) async {
    repeat {
      read.perform(.run)
      await Task.yield()
    } while read.watch.subscribed == 0 || read.readings.count < count
  }

  @Test(arguments: StreamForm.all, [SequenceStep.end, .fail, .release])
  private func `a stream registers when it is made, and delivers what came before the first read`(
    form: StreamForm,
    end: SequenceStep
  ) async {
    let home = form.home
    let watch = SequenceWatch(
      inSubscribe: { home?.preconditionIsolated() },
      inTermination: { home?.preconditionIsolated() }
    )
    let songs = await form.open(mast, watch)
    let read = TestRead(mast, watch, reader: songs)
    if form.start != .soon { #expect(watch.events == (form.start == .now ? [.subscribed] : [])) }
    if form.start != .now { await run(read) }
    read.perform(.play, .play, end)
    await run(read, until: 3)
    let ending = end == .fail && form.isThrowing ? Reading.failure(.failed) : .end
    #expect(read.readings == [.element("1"), .element("2"), ending])
    await expectTermination(watch)
    #expect(await songs().next() == .end)
  }

  @Test(arguments: StreamForm.all, [false, true])
  private func
    `a sleeping reader is listed, wakes when it is cancelled, and later elements are discarded`(
      form: StreamForm,
      isWoken: Bool
    ) async
  {
    WaitingCalls.startRecording()
    // The thread that ends the stream, while it does. It may hold the runtime's lock, so
    // `onTermination` must run later.
    let ending = Protected<ObjectIdentifier?>(nil)
    let watch = SequenceWatch(
      keepsListening: true,
      inTermination: { #expect(ending.withLock { $0 } != ObjectIdentifier(Thread.current)) }
    )
    let read = TestRead(mast, watch, reader: await form.open(mast, watch))
    await run(read)
    read.perform(.play)
    await run(read, until: 1)
    #expect(read.readings == [.element("1")])
    #expect(WaitingCall.states(line: watch.line) == [.waiting])
    if isWoken { mast.play() }
    ending.withLock { $0 = ObjectIdentifier(Thread.current) }
    read.perform(.cancel, .run)
    ending.withLock { $0 = nil }
    #expect(read.readings == [.element("1"), .end])
    #expect(WaitingCall.states(line: watch.line) == [])
    while watch.terminated == 0 { await Task.yield() }
    mast.play()
    let discarded = isWoken ? ["2", "3"] : ["2"]
    await expectTermination(watch, discarded: form.start == .soon ? [] : discarded)
    mast.release()
  }

  @Test(arguments: StreamForm.all.filter(\.isThrowing))
  private func `a registration that throws is the stream's error, and all that it delivers`(
    form: StreamForm
  ) async {
    let mast = Mast(greeting: [.play])
    let watch = SequenceWatch(inSubscribe: { throw SDKError.failed })
    let reader = await form.open(mast, watch)()
    #expect(await [reader.next(), reader.next()] == [.failure(.failed), .end])
    #expect(watch.events == [.subscribed] + (form.start == .soon ? [] : [.discarded("1")]))
    mast.release()  // It has kept the callbacks.
  }

  @Test(arguments: StreamForm.all.filter { $0.start != .soon })
  private func `a stream that is released without a reader unregisters, and discards its elements`(
    form: StreamForm
  ) async {
    let watch = SequenceWatch()
    do {
      let songs = await form.open(mast, watch)
      mast.play()
      withExtendedLifetime(songs) {}
    }
    if form.start == .atFirstRead { return #expect(watch.events == []) }
    await expectTermination(watch, discarded: ["1"])
  }

  /// The thread that reads for a cancelled task, perhaps in the runtime's handler, where nothing of
  /// the user's may run.
  private let inHandler = Protected<ObjectIdentifier?>(nil)
  private var look: @Sendable () -> Void {
    { [inHandler] in #expect(inHandler.withLock { $0 } != ObjectIdentifier(Thread.current)) }
  }

  @Test(arguments: StreamForm.all, [0, 1])
  private func `a stream that is kept ends when its reader is cancelled outside a read`(
    form: StreamForm,
    reads: Int
  ) async {
    let watch = SequenceWatch(inTermination: look, inDiscard: look)
    let songs = await form.open(mast, watch)
    let (executor, readings) = (ManualExecutor(), Protected<[Reading]>([]))
    Task(executorPreference: executor) {
      let reader = songs()
      if reads > 0 { readings.withLock { [first = await reader.next()] in $0.append(first) } }
      withUnsafeCurrentTask { $0?.cancel() }
      inHandler.withLock { $0 = ObjectIdentifier(Thread.current) }
      readings.withLock { [last = await reader.next()] in $0.append(last) }
      inHandler.withLock { $0 = nil }
    }
    while watch.subscribed == 0, reads > 0 || form.start == .soon {
      if reads > 0 { executor.runUntilIdle() }
      await Task.yield()
    }
    for _ in 1...3 { mast.play() }
    while readings.withLock({ $0.count }) <= reads {
      executor.runUntilIdle()
      await Task.yield()
    }
    #expect(readings.withLock { $0 } == [.element("1"), .end].suffix(reads + 1))
    if reads > 0 || form.start != .atFirstRead {
      let left = ["1", "2", "3"].suffix(from: reads)
      await expectTermination(watch, discarded: form.start == .soon ? [] : Array(left))
      #expect(watch.events.last == .terminated, "the buffer is discarded before")
    }
    #expect(await songs().next() == .end)
    #expect(mast.listenerCount == 0)
  }

  @Test(arguments: StreamForm.all.filter(\.isThrowing))
  private func `what a kept stream captures is released when its reader is cancelled`(
    form: StreamForm
  ) async {
    let isReleased = Signal()
    let songs = await {
      let token = OnRelease { [look] in
        look()
        isReleased.fire()
      }
      return await form.open(mast, SequenceWatch(inDiscard: { withExtendedLifetime(token) {} }))
    }()
    let read = TestRead(reader: songs)
    inHandler.withLock { $0 = ObjectIdentifier(Thread.current) }
    read.perform(.cancel, .run)
    inHandler.withLock { $0 = nil }
    await isReleased.wait()
    withExtendedLifetime(songs) {}
  }

  @Test(arguments: StreamForm.all, [false, true])
  private func
    `a cancelled reader ends the stream for one that sleeps; outside a read, perhaps later`(
      form: StreamForm,
      isReading: Bool
    ) async
  {
    let watch = SequenceWatch()
    let songs = await form.open(mast, watch)
    let (first, second) = (TestRead(reader: songs), TestRead(mast, watch, reader: songs))
    await run(second)
    first.perform((isReading ? [.run] : []) + [.cancel, .run])
    #expect(first.readings == [.end])
    var expected = [Reading.end]
    if form.isThrowing, !isReading {
      // The standard library forgets the closure, and does not tell the call that runs.
      second.perform(.run)
      #expect(second.readings == [])
      #expect(mast.listenerCount == 1, "the SDK stays registered as long")
      mast.play()
      expected = [.element("1"), .end]
    }
    await run(second, until: expected.count)
    #expect(second.readings == expected)
    await expectTermination(watch)
  }
}
