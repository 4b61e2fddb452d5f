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
@Suite("Sequences: on the actor that made them", .watchdog)
struct SequenceIsolationTests {
  /// Reads until the end or the limit. Also returns how often `onTermination` had run when the reader was told of the
  /// end, or had left.
  private static func read(
    _ form: SequenceForm,
    _ mast: Mast,
    _ watch: SequenceWatch,
    limit: Int,
    isolation: isolated (any Actor)?
  ) async -> ([Reading], Int) {
    // In a function of its own, which has released the reader when it returns.
    let (readings, terminations) = await readAll(form, mast, watch, limit, isolation: isolation)
    return (readings, terminations ?? watch.terminated)
  }

  private static func readAll(
    _ form: SequenceForm,
    _ mast: Mast,
    _ watch: SequenceWatch,
    _ limit: Int,
    isolation: isolated (any Actor)?
  ) async -> ([Reading], terminations: Int?) {
    let reader = form.read(FakeStation(mast), watch, isolation)
    var readings: [Reading] = []
    while readings.count < limit {
      let reading = await reader.next()
      readings.append(reading)
      guard case .element = reading else {
        return withExtendedLifetime(reader) { (readings, watch.terminated) }
      }
    }
    return (readings, nil)
  }

  @Test(arguments: SequenceForm.local, Place.allCases)
  func `both closures run there, before the reader goes on, however the subscription ends`(
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
          }
        )
        let mast = Mast(greeting: [.play])
        let task = Task {
          await Self.read(form, mast, watch, limit: way.limit, isolation: actor)
        }
        await isReading.wait()
        switch way {
        case .finish: mast.end()
        case .failure: mast.fail()
        case .release: mast.release()
        case .cancel: task.cancel()
        case .leave: break
        }
        let (readings, terminations) = await task.value
        // A cancelled reader elsewhere does not wait for the actor.
        if way == .cancel, leavesTheActor, actor != nil {
          await hasEnded.wait()
        } else {
          #expect(terminations == 1, "\(way), leaves the actor: \(leavesTheActor)")
        }
        #expect(watch.subscribed == 1)
        #expect(watch.terminated == 1)
        #expect(readings.last == way.readings(in: form).last ?? form.element(1))
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

  @Test(arguments: Place.allCases)
  func `elements that a reader leaves in the buffer are discarded there, before it goes on`(
    place: Place
  ) async {
    let actor = place.makeActor()
    let watch = SequenceWatch(inDiscard: { actor?.preconditionIsolated() })
    let mast = Mast(greeting: [.play, .play, .play])
    let (readings, terminations) = await Self.read(
      .elements,
      mast,
      watch,
      limit: 1,
      isolation: actor
    )
    #expect(readings == [.element("1")])
    #expect(terminations == 1)
    #expect(watch.events == [.subscribed, .discarded("2"), .discarded("3"), .terminated])
  }

  @Test(arguments: [false, true])
  func `a reader on the actor does not suspend to register or to unregister`(isSendable: Bool) {
    let actor = HandDrivenActor()
    let pool = ManualExecutor()
    let watch = SequenceWatch()
    Task(executorPreference: pool) {
      await actor.readOne(Mast(greeting: [.play]), watch, isSendable: isSendable)
    }
    pool.runUntilIdle()
    #expect(watch.events == [])
    // One job on the actor does it all.
    actor.executor.runUntilIdle()
    #expect(watch.events == [.subscribed, .terminated])
    #expect(pool.jobCount == 1)
    pool.runUntilIdle()
  }

  @Test
  func `a reader on the actor sleeps there`() {
    let actor = HandDrivenActor()
    let pool = ManualExecutor()
    let mast = Mast()
    let watch = SequenceWatch()
    Task(executorPreference: pool) {
      await actor.readOne(mast, watch)
    }
    pool.runUntilIdle()
    actor.executor.runUntilIdle()
    #expect(watch.events == [.subscribed])
    #expect(pool.isIdle, "it sleeps where it was")
    mast.play()
    while !(pool.isIdle && actor.executor.isIdle) {
      pool.runUntilIdle()
      actor.executor.runUntilIdle()
    }
    #expect(watch.events == [.subscribed, .terminated])
  }
}

extension HandDrivenActor {
  fileprivate func readOne(_ mast: Mast, _ watch: SequenceWatch, isSendable: Bool = false) async {
    let station = FakeStation(mast)
    let songs = AsyncCallbackSequence(buffering: .unbounded) { yield in
      watch.subscribe(Never.self) { station.addListener(yield) }
    } onTermination: {
      watch.terminate($0)
    }
    let reader =
      isSendable ? Reader(songs.sendable(), \.title) : Reader(songs, \.title)
    #expect(await reader.next() == .element("1"))
  }
}
