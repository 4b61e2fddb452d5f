import CooperativeCancellation
import CooperativeCancellationTesting
import FakeCallbackSDK
import Testing

@Suite("Sequences: one end, prompt, check after, nothing lost", .watchdog)
struct DeliveryTests {
  @Test(arguments: SequenceForm.all)
  func `elements arrive in order, whether they wait or wake the reader`(form: SequenceForm) {
    let read = TestRead(form)
    read.run()
    for _ in 1...3 { read.mast.play() }
    read.run()
    read.mast.play()
    read.run()
    #expect(read.readings == (1...4).map(form.element))
    read.cancel()
    read.run()
  }

  @Test(arguments: SequenceForm.all.filter(\.finishes))
  func `the elements before a finish are delivered, and those after it are discarded`(
    form: SequenceForm
  ) {
    let read = TestRead(form)
    read.run()
    read.mast.play()
    read.mast.play()
    read.mast.end()
    read.mast.play()
    read.mast.end()
    read.run()
    #expect(read.readings == [form.element(1), form.element(2), .end])
    #expect(read.watch.discarded == ["3"])
  }

  @Test(arguments: SequenceForm.all.filter(\.fails))
  func `the elements before an error are delivered, and what comes after it is discarded`(
    form: SequenceForm
  ) {
    let read = TestRead(form)
    read.run()
    read.mast.play()
    read.mast.fail()
    read.mast.play()
    read.mast.fail()
    read.mast.end()
    read.run()
    #expect(read.readings == [form.element(1), .failure(.failed)])
    #expect(read.watch.discarded == ["2"])
  }

  @Test(arguments: SequenceForm.all)
  func `a cancelled reader wakes, and nothing more is delivered`(form: SequenceForm) {
    let read = TestRead(form)
    read.run()
    read.cancel()
    read.mast.play()
    read.run()
    #expect(read.readings == [form.cancelled])
    #expect(read.watch.discarded.count == (form.carriesSongs ? form.songsPerElement : 0))
    #expect(read.mast.songsAlive.count == 0)
  }

  @Test(arguments: SequenceForm.all)
  func `an element is not delivered to a task that is cancelled when it resumes`(
    form: SequenceForm
  ) {
    let read = TestRead(form)
    read.run()
    read.mast.play()
    read.cancel()
    read.run()
    #expect(read.readings == [form.cancelled])
    #expect(read.watch.discarded.count == (form.carriesSongs ? form.songsPerElement : 0))
    #expect(read.watch.terminated == 1)
  }

  @Test(arguments: SequenceForm.all.filter(\.finishes))
  func `a finish with no elements before it is an end, although the task is cancelled`(
    form: SequenceForm
  ) {
    let read = TestRead(form)
    read.run()
    read.mast.end()
    read.cancel()
    read.run()
    #expect(read.readings == [.end])
  }

  @Test(arguments: SequenceForm.all.filter(\.fails))
  func `an error with no elements before it is thrown, although the task is cancelled`(
    form: SequenceForm
  ) {
    let read = TestRead(form)
    read.run()
    read.mast.fail()
    read.cancel()
    read.run()
    #expect(read.readings == [.failure(.failed)])
  }

  @Test(arguments: SequenceForm.all.filter { $0.finishes || $0.fails })
  func `an end behind elements that a cancellation discards is not reached`(form: SequenceForm) {
    let read = TestRead(form)
    read.run()
    read.mast.play()
    if form.fails { read.mast.fail() } else { read.mast.end() }
    read.cancel()
    read.run()
    #expect(read.readings == [form.cancelled])
    #expect(read.watch.discarded == ["1"])
  }

  @Test(arguments: SequenceForm.all.filter(\.carriesSongs))
  func `elements that a reader leaves in the buffer are discarded before the release returns`(
    form: SequenceForm
  ) {
    let read = TestRead(form, Mast(greeting: [.play, .play, .play]), limit: 1)
    read.run()
    #expect(read.readings == [form.element(1)])
    #expect(read.watch.discarded.count == 2 * form.songsPerElement)
    #expect(read.watch.events.last == .terminated, "after the elements are discarded")
    #expect(read.watch.terminated == 1)
    #expect(read.mast.songsAlive.count == 0)
  }

  @Test(arguments: SequenceForm.all)
  func `an element in the buffer is not delivered to a task that was cancelled between two calls`(
    form: SequenceForm
  ) async {
    let mast = Mast(greeting: [.play, .play])
    let watch = SequenceWatch()
    let task = Task {
      let reader = form.read(FakeStation(mast), watch, nil)
      let first = await reader.next()
      withUnsafeCurrentTask { $0?.cancel() }
      return [first, await reader.next()]
    }
    #expect(await task.value == [form.element(1), form.cancelled])
    #expect(watch.discarded.count == (form.carriesSongs ? form.songsPerElement : 0))
    #expect(watch.terminated == 1)
  }

  @Test
  func `a reader that has only next receives an element from the buffer`() async throws {
    var iterator = AsyncThrowingCallbackSequence<Int>(buffering: .unbounded) { yield in
      yield(1)
      yield(2)
    } onTermination: {
    }.makeAsyncIterator()
    #expect(try await iterator.next() == 1)
    #expect(try await iterator.next() == 2)
  }
}
