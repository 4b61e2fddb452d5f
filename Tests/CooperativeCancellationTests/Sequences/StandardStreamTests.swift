import CooperativeCancellation
import CooperativeCancellationTesting
import FakeCallbackSDK
import Foundation
import Testing

/// A way to make one of the standard library's streams, for the tests that run over all of them.
private struct StreamForm: Sendable, CustomTestStringConvertible {
  enum Stream: Sendable {
    case plain(AsyncStream<Song>)
    case throwing(AsyncThrowingStream<Song, any Error>)

    var reader: Reader {
      switch self {
      case .plain(let songs): Reader(songs, \.title)
      case .throwing(let songs): Reader(songs, \.title)
      }
    }
  }

  let testDescription: String
  var isThrowing = false
  /// Whether the stream registers before the call returns, and not at its first read.
  var registersNow = true
  /// The actor on which both closures run.
  var home: (any Actor)?
  let songs: @Sendable (Mast, SequenceWatch) async -> Stream

  static let all = [
    StreamForm(testDescription: "of a sequence, on its actor", home: MainActor.shared) {
      @MainActor in .plain(plain($0, $1).asyncStream())
    },
    StreamForm(
      testDescription: "throwing, of a sequence, on its actor",
      isThrowing: true,
      home: MainActor.shared
    ) { @MainActor in .throwing(throwing($0, $1).asyncThrowingStream()) },
    StreamForm(testDescription: "of a Sendable sequence") { mast, watch in
      .plain(SendableCallbackSequence { plain(mast, watch) }.asyncStream())
    },
    StreamForm(testDescription: "throwing, of a Sendable sequence", isThrowing: true) {
      mast,
      watch in
      .throwing(SendableCallbackSequence { throwing(mast, watch) }.asyncThrowingStream())
    },
    StreamForm(
      testDescription: "throwing, of a Sendable sequence with a home",
      isThrowing: true,
      registersNow: false,
      home: MainActor.shared
    ) { @MainActor in .throwing(throwing($0, $1).sendable().asyncThrowingStream()) },
    StreamForm(testDescription: "made of callbacks") { mast, watch in
      .plain(
        AsyncStream(buffering: watch.policy, line: watch.line) { yield, finish in
          watch.subscribe(Never.self) { FakeStation(mast).listen(yield, end: finish) }
        } onTermination: {
          watch.terminate($0)
        } onDiscard: {
          watch.discard($0.title)
        }
      )
    },
    StreamForm(testDescription: "throwing, made of callbacks", isThrowing: true) { mast, watch in
      .throwing(
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

  private static func plain(
    _ mast: Mast,
    _ watch: SequenceWatch,
    isolation: isolated (any Actor)? = #isolation
  ) -> AsyncCallbackSequence<Song> {
    AsyncCallbackSequence(buffering: watch.policy, isolation: isolation, line: watch.line) {
      yield,
      finish in
      watch.subscribe(Never.self) { FakeStation(mast).listen(yield, end: finish) }
    } onTermination: {
      watch.terminate($0)
    } onDiscard: {
      watch.discard($0.title)
    }
  }

  private static func throwing(
    _ mast: Mast,
    _ watch: SequenceWatch,
    isolation: isolated (any Actor)? = #isolation
  ) -> AsyncThrowingCallbackSequence<Song> {
    AsyncThrowingCallbackSequence(buffering: watch.policy, isolation: isolation, line: watch.line) {
      yield,
      finish in
      try watch.subscribe { FakeStation(mast).stream(yield, completion: finish) }
    } onTermination: {
      watch.terminate($0)
    } onDiscard: {
      watch.discard($0.title)
    }
  }
}

@Suite("Sequences: the standard library's streams", .watchdog)
struct StandardStreamTests {
  private let mast = Mast()

  /// Waits for the end of the subscription, which comes soon after that of the stream.
  private func expectTermination(_ watch: SequenceWatch, discarded: [String] = []) async {
    while watch.terminated == 0 || mast.songsAlive.count > 0 { await Task.yield() }
    #expect(watch.events.count { $0 == .subscribed } == 1)
    #expect(watch.events.count { $0 == .terminated } == 1)
    #expect(watch.discarded == discarded)
  }

  @Test(arguments: StreamForm.all)
  private func `registers when it is made, and delivers what came before the first read`(
    form: StreamForm
  ) async {
    let home = form.home
    let watch = SequenceWatch(
      inSubscribe: { home?.preconditionIsolated() },
      inTermination: { home?.preconditionIsolated() }
    )
    let songs = await form.songs(mast, watch)
    #expect(watch.events == (form.registersNow ? [.subscribed] : []))
    mast.play()
    mast.play()
    mast.end()
    let reader = songs.reader
    if form.registersNow {
      #expect(await [reader.next(), reader.next()] == [.element("1"), .element("2")])
    } else {
      async let reading = reader.next()
      while watch.subscribed == 0 { await Task.yield() }
      mast.play()
      mast.end()
      #expect(await reading == .element("1"))
    }
    #expect(await [reader.next(), reader.next()] == [.end, .end])
    await expectTermination(watch)
  }

  @Test(arguments: StreamForm.all)
  private func
    `a sleeping reader is listed, wakes when it is cancelled, and later elements are discarded`(
      form: StreamForm
    ) async
  {
    WaitingCall.startRecording()
    let watch = SequenceWatch(keepsListening: true)
    let songs = await form.songs(mast, watch)
    let read = TestRead(mast, watch) { songs.reader }
    while read.readings.isEmpty {
      read.perform(.run)
      if watch.subscribed == 1, mast.made == 0 { mast.play() }
      await Task.yield()
    }
    read.perform(.run)
    #expect(read.readings == [.element("1")])
    #expect(WaitingCall.states(line: watch.line) == [.waiting])
    read.perform(.cancel, .run)
    #expect(read.readings == [.element("1"), .end])
    #expect(WaitingCall.states(line: watch.line) == [])
    while watch.terminated == 0 { await Task.yield() }
    mast.play()
    await expectTermination(watch, discarded: ["2"])
    mast.release()
  }

  @Test(arguments: StreamForm.all)
  private func `a failure, and a released callback, end it after what came before`(form: StreamForm)
    async
  {
    for end in [mast.fail, mast.release] {
      let watch = SequenceWatch()
      let reader = await form.songs(mast, watch).reader
      async let first = reader.next()
      while watch.subscribed == 0 { await Task.yield() }
      mast.play()
      let number = "\(mast.made)"
      end()
      #expect(await first == .element(number))
      let isFailure = form.isThrowing && number == "1"
      #expect(await reader.next() == (isFailure ? .failure(.failed) : .end))
      await expectTermination(watch)
    }
  }

  @Test(arguments: StreamForm.all.filter(\.isThrowing))
  private func `a registration that throws is the stream's error, and all that it delivers`(
    form: StreamForm
  ) async {
    let mast = Mast(greeting: [.play])
    let watch = SequenceWatch(inSubscribe: { throw SDKError.failed })
    let reader = await form.songs(mast, watch).reader
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
      let songs = await form.songs(mast, watch)
      mast.play()
      withExtendedLifetime(songs) {}
    }
    if !form.registersNow { return #expect(watch.events == []) }
    await expectTermination(watch, discarded: ["1"])
  }

  @Test
  func `one made of callbacks registers on the calling thread`() {
    let thread = Protected<ObjectIdentifier?>(nil)
    let numbers = AsyncStream<Int>(buffering: .unbounded) { _, _ in
      thread.withLock { $0 = ObjectIdentifier(Thread.current) }
    } onTermination: {
    }
    withExtendedLifetime(numbers) {}
    #expect(thread.withLock { $0 } == ObjectIdentifier(Thread.current))
  }
}
