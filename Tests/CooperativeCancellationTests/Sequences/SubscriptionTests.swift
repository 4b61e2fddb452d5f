import CooperativeCancellation
import CooperativeCancellationTesting
import FakeCallbackSDK
import Testing

/// How a subscription may end.
enum WayToEnd: CaseIterable, Sendable {
  case finish
  case failure
  case release
  case cancel
  case leave

  /// Whether this form has that way.
  func exists(in form: SequenceForm) -> Bool {
    switch self {
    case .finish: form.finishes
    case .failure: form.fails
    case .release, .cancel, .leave: true
    }
  }
}

@Suite("Sequences: one subscription", .watchdog)
struct SubscriptionTests {
  @Test(arguments: SequenceForm.all)
  func `a sequence that nobody reads registers nothing`(form: SequenceForm) {
    let mast = Mast()
    let watch = SequenceWatch()
    do { _ = form.read(FakeStation(mast), watch, nil) }
    #expect(mast.added == 0)
    #expect(watch.events == [])
  }

  @Test(arguments: SequenceForm.all, WayToEnd.allCases)
  func `each subscription begins at the first next, and ends once`(
    form: SequenceForm,
    way: WayToEnd
  ) {
    guard way.exists(in: form) else { return }
    let read = TestRead(form, limit: way == .leave ? 1 : .max)
    #expect(read.mast.added == 0)
    read.run()
    #expect(read.watch.events == [.subscribed])
    read.mast.play()
    read.run()
    switch way {
    case .finish: read.mast.end()
    case .failure: read.mast.fail()
    case .release: read.mast.release()
    case .cancel: read.cancel()
    case .leave: break
    }
    read.run()
    #expect(read.watch.events == [.subscribed, .terminated])
    #expect(read.mast.removed == [1])
    switch way {
    case .finish, .release: #expect(read.readings == [form.element(1), .end])
    case .failure: #expect(read.readings == [form.element(1), form.failed])
    case .cancel: #expect(read.readings == [form.element(1), form.cancelled])
    case .leave: #expect(read.readings == [form.element(1)])
    }
    #expect(read.mast.songsAlive.count == 0)
  }

  @Test(arguments: SequenceForm.all)
  func `the first element may come inside the registration, and costs no suspension`(
    form: SequenceForm
  ) {
    let read = TestRead(form, Mast(greeting: [.play]), limit: 1)
    read.run()
    #expect(read.readings == [form.element(1)])
    #expect(read.executor.jobCount == 1)
    #expect(read.watch.events == [.subscribed, .terminated])
  }

  @Test(arguments: SequenceForm.all)
  func `a task that is already cancelled registers nothing`(form: SequenceForm) {
    let read = TestRead(form)
    read.cancel()
    read.run()
    #expect(read.mast.added == 0)
    #expect(read.watch.events == [])
    #expect(read.readings == [form.cancelled])
  }

  @Test(arguments: SequenceForm.all)
  func `two readers are two subscriptions, and each gets every element`(form: SequenceForm) {
    let mast = Mast()
    let first = TestRead(form, mast)
    let second = TestRead(form, mast)
    first.run()
    second.run()
    #expect(mast.added == 2)
    mast.play()
    first.run()
    second.run()
    #expect(first.readings.count == 1)
    #expect(second.readings.count == 1)
    first.cancel()
    first.run()
    #expect(mast.removed == [1])
    mast.play()
    second.run()
    #expect(second.readings.count == 2)
    mast.release()
    second.run()
    #expect(mast.removed == [1, 2])
  }

  @Test(arguments: SequenceForm.all, WayToEnd.allCases)
  func `an end during the registration waits for it, and delivers what came before`(
    form: SequenceForm,
    way: WayToEnd
  ) {
    guard way.exists(in: form), way != .leave else { return }
    let greeting: Mast.Greeting? =
      switch way {
      case .finish: .end
      case .failure: .fail
      case .release: .release
      case .cancel, .leave: nil
      }
    let watch = SequenceWatch(inSubscribe: {
      if way == .cancel { withUnsafeCurrentTask { $0?.cancel() } }
    })
    let read = TestRead(form, Mast(greeting: [.play] + (greeting.map { [$0] } ?? [])), watch)
    read.run()
    #expect(read.mast.removed == [1])
    #expect(watch.subscribed == 1)
    #expect(watch.terminated == 1)
    #expect(watch.events.first == .subscribed)
    switch way {
    case .finish, .release: #expect(read.readings == [form.element(1), .end])
    case .failure: #expect(read.readings == [form.element(1), form.failed])
    case .cancel, .leave:
      #expect(read.readings == [form.cancelled])
      #expect(watch.discarded.count == (form.carriesSongs ? form.songsPerElement : 0))
    }
  }

  @Test(arguments: SequenceForm.throwingForms)
  func `a registration that throws ends the sequence with that error, and nothing is unregistered`(
    form: SequenceForm
  ) async {
    let mast = Mast(greeting: [.play])
    let watch = SequenceWatch(inSubscribe: { throw SDKError.failed })
    let reader = form.read(FakeStation(mast), watch, nil)
    #expect(await reader.next() == .failure(.failed))
    #expect(watch.terminated == 0)
    #expect(watch.discarded.count == (form.carriesSongs ? form.songsPerElement : 0))
    mast.play()
    #expect(await reader.next() == .end)
    #expect(mast.added == 1)
    #expect(mast.songsAlive.count == 0)
  }

  @Test(arguments: SequenceForm.all, WayToEnd.allCases)
  func `after the end, next returns nil and registers nothing`(
    form: SequenceForm,
    way: WayToEnd
  ) {
    guard way.exists(in: form), way != .leave else { return }
    let read = TestRead(form, more: 2)
    read.run()
    switch way {
    case .finish: read.mast.end()
    case .failure: read.mast.fail()
    case .release: read.mast.release()
    case .cancel, .leave: read.cancel()
    }
    read.run()
    let end: Reading =
      switch way {
      case .failure: form.failed
      case .cancel: form.cancelled
      default: .end
      }
    #expect(read.readings == [end, .end, .end])
    #expect(read.watch.events == [.subscribed, .terminated])
  }

  @Test(arguments: SequenceForm.all)
  func `after a cancellation before the first next, nothing is registered`(form: SequenceForm) {
    let read = TestRead(form, more: 2)
    read.cancel()
    read.run()
    #expect(read.readings == [form.cancelled, .end, .end])
    #expect(read.mast.added == 0)
  }
}
