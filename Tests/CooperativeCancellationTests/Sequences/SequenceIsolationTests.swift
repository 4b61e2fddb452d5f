import CallbackSequences
import CooperativeCancellation
import Dispatch
import FakeCallbackSDK
import Testing

/// A serial queue as an executor, without the isolation check that newer executors have.
private final class QueueExecutor: SerialExecutor {
  private let queue = DispatchQueue(label: "SequenceIsolationTests")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}

private actor QueueActor {
  private let executor = QueueExecutor()

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
}

private actor PlainActor {}

/// Where a sequence is made and read.
enum Place: CaseIterable, Sendable {
  case mainActor
  case actor
  case actorOnAQueue
  case nowhere

  func makeActor() -> (any Actor)? {
    switch self {
    case .mainActor: MainActor.shared
    case .actor: PlainActor()
    case .actorOnAQueue: QueueActor()
    case .nowhere: nil
    }
  }
}

/// Where the closures run is asserted inside each of them, by the runtime.
@Suite("Sequences: on the actor that made them", .watchdog) struct SequenceIsolationTests {
  /// Reads one element, or until the end. Also returns how often `onTermination` had run then.
  private static func read(
    _ form: SequenceForm,
    _ mast: Mast,
    _ watch: SequenceWatch,
    leaves: Bool,
    isolation: isolated (any Actor)?
  ) async -> (last: Reading, terminations: Int) {
    let reader = form.read(FakeStation(mast), watch, isolation)
    var last = await reader.next()
    while !leaves, case .element = last { last = await reader.next() }
    return withExtendedLifetime(reader) { (last, watch.terminated) }
  }

  @Test(arguments: SequenceForm.local, Place.allCases)
  func `all closures run at home, before the reader goes on, however the subscription ends`(
    form: SequenceForm,
    place: Place
  ) async {
    for way in WayToEnd.allCases where way.exists(in: form) {
      for leavesTheActor in [false, true] {
        let actor = place.makeActor()
        let isReading = Signal()
        let hasEnded = Signal()
        let watch = SequenceWatch(
          leavesTheActor: leavesTheActor,
          inSubscribe: {
            actor?.preconditionIsolated()
            isReading.fire()
          },
          inTermination: {
            actor?.preconditionIsolated()
            hasEnded.fire()
          },
          inDiscard: { if !leavesTheActor { actor?.preconditionIsolated() } }
        )
        let mast = Mast(greeting: way == .leave ? [.play, .play, .play] : [.play])
        let task = Task {
          let (last, terminations) = await Self.read(
            form,
            mast,
            watch,
            leaves: way == .leave,
            isolation: actor
          )
          return (last, way == .leave ? watch.terminated : terminations)
        }
        await isReading.wait()
        if let end = way.greeting { mast.sendAll(end) }
        if way == .cancel { task.cancel() }
        let (last, terminations) = await task.value
        // A cancelled reader elsewhere does not wait for the actor.
        if way == .cancel, leavesTheActor, actor != nil {
          await hasEnded.wait()
        } else {
          #expect(terminations == 1, "\(way), leaves the actor: \(leavesTheActor)")
        }
        #expect(watch.subscribed == 1)
        #expect(watch.terminated == 1)
        #expect(last == way.readings(in: form).last ?? form.element(1))
        if way == .leave {
          #expect(watch.discarded.count == 2 * form.songsPerElement)
          #expect(watch.events.last == .terminated)
        }
      }
    }
  }

  @Test(arguments: SequenceForm.local, Place.allCases)
  func `a half-read iterator may be released elsewhere, by a task or by a thread that runs none`(
    form: SequenceForm,
    place: Place
  ) async {
    for runsTask in [false, true] {
      let actor = place.makeActor()
      let hasEnded = Signal()
      let watch = SequenceWatch(
        inSubscribe: { actor?.preconditionIsolated() },
        inTermination: {
          actor?.preconditionIsolated()
          hasEnded.fire()
        }
      )
      let mast = Mast(greeting: [.play])
      let kept = Protected<Reader?>(nil)
      await Self.readOne(form, mast, watch, keepIn: kept, isolation: actor)
      @Sendable func release() {
        let reader = kept.withLock { $0.take() }
        withExtendedLifetime(reader) {}
      }
      if runsTask {
        Task.detached { release() }
      } else {
        DispatchQueue.global().async { release() }
      }
      await hasEnded.wait()
      // `onTermination` has begun.
      while mast.removed != [1] { await Task.yield() }
      #expect(watch.terminated == 1)
    }
  }

  /// Keeps the iterator where the compiler cannot see what releases it.
  private static func readOne(
    _ form: SequenceForm,
    _ mast: Mast,
    _ watch: SequenceWatch,
    keepIn kept: Protected<Reader?>,
    isolation: isolated (any Actor)?
  ) async {
    let reader = form.read(FakeStation(mast), watch, isolation)
    #expect(await reader.next() == form.element(1))
    kept.withLock { $0 = reader }
  }

  @Test(arguments: [false, true])
  func `a reader on the actor sleeps there, and does not suspend to register or to unregister`(
    isSendable: Bool
  ) {
    for greeting in [[Mast.Greeting.play], []] {
      let actor = HandDrivenActor()
      let pool = ManualExecutor()
      let mast = Mast(greeting: greeting)
      let watch = SequenceWatch()
      Task(executorPreference: pool) {
        await actor.readOne(mast, watch, isSendable: isSendable)
      }
      pool.runUntilIdle()
      #expect(watch.events == [])
      actor.executor.runUntilIdle()
      if greeting == [] {
        #expect(watch.events == [.subscribed])
        #expect(pool.isIdle, "it sleeps where it was")
        mast.play()
        while !(pool.isIdle && actor.executor.isIdle) {
          pool.runUntilIdle()
          actor.executor.runUntilIdle()
        }
      } else {
        #expect(pool.jobCount == 1, "one job on the actor does it all")
      }
      #expect(watch.events == [.subscribed, .terminated])
      pool.runUntilIdle()
    }
  }
}

extension HandDrivenActor {
  fileprivate func readOne(_ mast: Mast, _ watch: SequenceWatch, isSendable: Bool) async {
    let songs = SequenceForm.finishing(Never.self, mast, watch, self)
    let reader = isSendable ? Reader(songs.sendable(), \.title) : Reader(songs, \.title)
    #expect(await reader.next() == .element("1"))
  }
}
