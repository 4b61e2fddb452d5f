import CooperativeCancellation
import CooperativeCancellationTesting
import FakeCallbackSDK
import Foundation
import Testing

/// A way to make one of the standard library's streams, for the tests that run over all of them.
private struct StreamForm: Sendable, CustomTestStringConvertible {
  typealias Open = @Sendable (Mast, SequenceWatch) async -> @Sendable () -> Reader

  let testDescription: String
  let isThrowing: Bool
  /// Whether the stream registers before the call returns, and not at its first read.
  let registersNow: Bool
  /// The actor on which both closures run.
  let home: (any Actor)?
  let open: Open

  init(
    _ testDescription: String,
    isThrowing: Bool = false,
    registersNow: Bool = true,
    home: (any Actor)? = nil,
    open: @escaping Open
  ) {
    self.testDescription = testDescription
    self.isThrowing = isThrowing
    self.registersNow = registersNow
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
    StreamForm("with a home", isThrowing: true, registersNow: false, home: MainActor.shared) {
      @MainActor in
      reading(SequenceForm.failing($0, $1, #isolation).sendable().asyncThrowingStream())
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

@Suite("Sequences: the standard library's streams", .watchdog)
struct StandardStreamTests {
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
  private func `registers when it is made, and delivers what came before the first read`(
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
    #expect(watch.events == (form.registersNow ? [.subscribed] : []))
    if !form.registersNow { await run(read) }
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
    WaitingCall.startRecording()
    // The thread that ends the stream, while it does. It may hold the runtime's lock, so `onTermination` must run later.
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
    await expectTermination(watch, discarded: isWoken ? ["2", "3"] : ["2"])
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
    #expect(watch.events == [.subscribed, .discarded("1")])
    mast.release()  // It has kept the callbacks.
  }

  @Test(arguments: StreamForm.all)
  private func `one that is released without a reader unregisters, and discards its elements`(
    form: StreamForm
  ) async {
    let watch = SequenceWatch()
    do {
      let songs = await form.open(mast, watch)
      mast.play()
      withExtendedLifetime(songs) {}
    }
    if !form.registersNow { return #expect(watch.events == []) }
    await expectTermination(watch, discarded: ["1"])
  }
}
