import CooperativeCancellation
import CooperativeCancellationTesting
import FakeCallbackSDK
import Testing

@Suite("Sequences: one subscription", .watchdog) struct SubscriptionTests {
  @Test(arguments: SequenceForm.all, WayToEnd.allCases)
  func `a subscription begins at the first next, ends once, and is listed while its reader waits`(
    form: SequenceForm,
    way: WayToEnd
  ) {
    guard way.exists(in: form) else { return }
    WaitingCalls.startRecording()
    let read = TestRead(form, limit: way.limit, more: 2)
    var listed: [WaitingCall.State] { WaitingCall.states(line: read.watch.line) }
    #expect(read.mast.added == 0 && listed == [])
    read.perform(.run)
    #expect(read.watch.events == [.subscribed])
    #expect(listed == [.waiting])
    read.perform(.play)
    #expect(listed == [.over])
    read.perform(.run)
    #expect(listed == (way == .leave ? [] : [.waiting]))
    read.perform(way.steps + [.run])
    #expect(listed == [])
    #expect(read.watch.events == [.subscribed, .terminated])
    #expect(read.mast.removed == [1])
    let readAgain: [Reading] = way == .leave ? [] : [.end, .end]
    #expect(read.readings == [form.element(1)] + way.readings(in: form) + readAgain)
    #expect(read.mast.songsAlive.count == 0)
  }

  @Test(arguments: SequenceForm.all, WayToEnd.allCases)
  func `an end during the registration waits for it, and delivers what came before`(
    form: SequenceForm,
    way: WayToEnd
  ) {
    guard way.exists(in: form) else { return }
    let watch = SequenceWatch(inSubscribe: {
      if way == .cancel { withUnsafeCurrentTask { $0?.cancel() } }
    })
    let mast = Mast(greeting: [.play, way.greeting].compactMap(\.self))
    let read = TestRead(form, mast, watch, limit: way.limit)
    read.perform(.run)
    #expect(read.mast.removed == [1])
    #expect(watch.subscribed == 1)
    #expect(watch.terminated == 1)
    #expect(watch.events.first == .subscribed)
    let isDelivered = way != .cancel
    #expect(read.readings == (isDelivered ? [form.element(1)] : []) + way.readings(in: form))
    #expect(watch.discarded.count == (isDelivered ? 0 : form.songsPerElement))
    #expect(read.executor.jobCount == 1, "costs no suspension")
  }

  @Test(arguments: SequenceForm.all)
  func `a task that is already cancelled registers nothing, then or later`(form: SequenceForm) {
    let read = TestRead(form, more: 2)
    read.perform(.cancel, .run)
    #expect(read.mast.added == 0)
    #expect(read.watch.events == [])
    #expect(read.readings == [form.cancelled, .end, .end])
  }

  @Test(arguments: SequenceForm.all)
  func `two readers are two subscriptions, and each gets every element`(form: SequenceForm) {
    let mast = Mast()
    let (first, second) = (TestRead(form, mast), TestRead(form, mast))
    for read in [first, second] { read.perform(.run) }
    #expect(mast.added == 2)
    mast.play()
    for read in [first, second] { read.perform(.run) }
    #expect([first, second].map(\.readings.count) == [1, 1])
    first.perform(.cancel, .run)
    #expect(mast.removed == [1])
    second.perform(.play, .run)
    #expect(second.readings.count == 2)
    second.perform(.release, .run)
    #expect(mast.removed == [1, 2])
  }

  @Test(arguments: SequenceForm.all.filter(\.refuses))
  func `a registration that throws ends the sequence with that error, and nothing is unregistered`(
    form: SequenceForm
  ) {
    let watch = SequenceWatch(inSubscribe: { throw SDKError.failed })
    let read = TestRead(form, Mast(greeting: [.play]), watch, more: 1)
    read.perform(.run)
    #expect(watch.terminated == 0)
    #expect(watch.discarded.count == form.songsPerElement)
    read.perform(.play, .run)
    #expect(read.readings == [.failure(.failed), .end])
    #expect(read.mast.added == 1)
    #expect(read.mast.songsAlive.count == 0)
  }
}
