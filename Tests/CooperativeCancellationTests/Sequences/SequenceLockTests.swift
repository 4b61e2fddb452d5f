import CallbackSequences
import CooperativeCancellation
import CooperativeCancellationTesting
import FakeCallbackSDK
import Foundation
import Testing

/// Each test calls the library again at a moment when a held lock would deadlock, until the
/// watchdog.
@Suite("Sequences: no lock held", .watchdog) struct SequenceLockTests {
  @Test(arguments: SequenceForm.all, [WayToEnd.finish, .failure, .cancel, .leave])
  func `a reader is woken by an element or an end with no lock of the library held`(
    form: SequenceForm,
    way: WayToEnd
  ) {
    guard way.exists(in: form) else { return }
    let read = TestRead(form, limit: way.limit)
    read.perform(.run)
    read.executor.onEnqueue(once { [mast = read.mast] in mast.play() })
    read.perform((way == .leave ? [.play] : way.steps) + [.run])
    #expect(read.readings == (way == .leave ? [form.element(1)] : way.readings(in: form)))
    #expect(read.watch.discarded.count == form.songsPerElement)
  }

  @Test(arguments: SequenceForm.all, [WayToEnd.cancel, .leave])
  func `onTermination may play, end and release`(form: SequenceForm, way: WayToEnd) {
    let mast = Mast(greeting: [.play])
    let watch = SequenceWatch(inTermination: {
      mast.play()
      mast.end()
      mast.fail()
      mast.release()
    })
    let read = TestRead(form, mast, watch, limit: way.limit)
    read.perform([.run] + way.steps + [.run])
    #expect(read.readings == [form.element(1)] + way.readings(in: form))
    #expect(watch.terminated == 1)
    #expect(mast.songsAlive.count == 0)
  }

  @Test(arguments: SequenceForm.all.filter(\.carriesSongs), [WayToEnd.cancel, .leave])
  func `onDiscard may play, of an element that does not fit and of what is left in the buffer`(
    form: SequenceForm,
    way: WayToEnd
  ) {
    for policy in [BufferingPolicy.unbounded, .oldest(1)] {
      let mast = Mast()
      let watch = SequenceWatch(policy, inDiscard: once { mast.play() })
      let read = TestRead(form, mast, watch, limit: way.limit)
      read.perform([.run, .play, .play] + way.steps + [.run])
      #expect(watch.discarded.count == (way == .cancel ? 3 : 2) * form.songsPerElement)
      #expect(mast.songsAlive.count == 0)
    }
  }

  @Test(arguments: [BufferingPolicy.newest(1), .oldest(1), .unbounded])
  func `an element may yield when it is released`(policy: BufferingPolicy) async {
    let released = Protected(0)
    do {
      // No `onDiscard`: evicted, refused and left elements are only released.
      let sequence = AsyncCallbackSequence<OnRelease?>(buffering: policy) { yield in
        for _ in 1...3 {
          let element = OnRelease {
            released.withLock { $0 += 1 }
            yield(nil)
          }
          yield(element)
        }
      } onTermination: {
      }
      for await _ in sequence { break }
    }
    #expect(released.withLock { $0 } == 3)
  }
}
