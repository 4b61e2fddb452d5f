import CooperativeCancellation
import FakeCallbackSDK
import Testing

/// What an SDK, or the code around it, does to a call. Each name continues "The SDK …".
@Suite("Hostile SDKs", .serialized, .watchdog, .ownThread)
struct HostileSDKTests {
  private static let withValue = BridgeForm.all.filter(\.carriesValue)

  @Test(arguments: BridgeForm.all)
  func `answers inside the cancellation, on its thread`(form: BridgeForm) async {
    let stage = HostileStage(form)
    stage.begin { call in
      await withTaskCancellationHandler(operation: call) { stage.backend.answer() }
    }
    stage.cancel()
    await stage.endsCancelled()
  }

  @Test(arguments: BridgeForm.all)
  func `answers from a deinit`(form: BridgeForm) async {
    let stage = HostileStage(form)
    stage.begin()
    let backend = stage.backend
    _ = OnRelease { backend.answer() }
    await stage.ends([form.delivered])
  }

  @Test(arguments: BridgeForm.all)
  func `answers from the deinit of its request, after cancellation`(form: BridgeForm) async {
    let stage = HostileStage(form)
    stage.begin()
    let backend = stage.backend
    backend.hooks.withLock { $0.onRequestRelease = { backend.answer() } }
    stage.cancel()
    if form.kind != .unconditional { return await stage.endsCancelled() }
    await stage.ends([form.delivered], afterAnotherAnswer: true, discarded: 1, reports: 1)
  }

  @Test(arguments: BridgeForm.all)
  func `answers, and the task makes its next call inside that callback`(form: BridgeForm) async {
    let stage = HostileStage(form)
    stage.begin { call in
      await call()
      await call()
    }
    stage.runInsideCallbacks()
    stage.backend.answer(call: 1)
    #expect(stage.backend.counts.started == 2, "the next call is made inside the callback")
    stage.backend.answer(call: 2)
    await stage.ends([form.delivered, form.delivered])
  }

  @Test(arguments: BridgeForm.all)
  func `answers under the lock that its cancel() takes, during cancellation`(
    form: BridgeForm
  ) async {
    let stage = HostileStage(form)
    stage.begin(.onDemandUnderItsLock)
    let holdsLock = Gate()
    let isCancelled = Gate()
    stage.backend.hooks.withLock {
      $0.beforeAnswer = {
        holdsLock.open()
        isCancelled.pass()
      }
    }
    raceTwo { side in
      if side == 1 { return stage.backend.answer() }
      holdsLock.pass()
      stage.cancel()
      isCancelled.open()
      stage.run()
    }
    await stage.endsCancelled()
  }

  @Test(arguments: BridgeForm.all)
  func `answers after a cancellation, when the service object is gone`(form: BridgeForm) async {
    let stage = HostileStage(form)
    stage.begin()
    stage.cancel()
    stage.run()
    #expect(stage.isWaiting == (stage.backend.services > 0))
    stage.backend.answer()
    await stage.endsCancelled()
  }

  @Test(arguments: withValue)
  func `brings a value whose deinit brings another, three times`(form: BridgeForm) async {
    let stage = HostileStage(form)
    stage.begin()
    let backend = stage.backend
    let left = Protected(3)
    backend.hooks.withLock {
      $0.onValueRelease = {
        let answers = left.withLock { left in
          defer { left -= 1 }
          return left > 0
        }
        if answers { backend.answer() }
      }
    }
    backend.answer()
    await stage.ends([form.delivered], discarded: 3, reports: 3)
  }

  @Test(arguments: withValue)
  func `answers twice, and onDiscard of the second value cancels the task`(
    form: BridgeForm
  ) async {
    let stage = HostileStage(form)
    stage.begin(.onDemand, Watch(inOnDiscard: { stage.cancel() }))
    stage.backend.answer()
    stage.backend.answer()
    let ending = form.checks ? form.cancelled : form.delivered
    await stage.ends([ending], discarded: form.checks ? 2 : 1, reports: 1)
  }

  @Test(arguments: BridgeForm.all)
  func `gets 200 calls of one task, in nested scopes, and the last is cancelled`(
    form: BridgeForm
  ) async {
    let stage = HostileStage(form)
    @Sendable func nest(_ depth: Int, _ call: @escaping HostileStage.Call) async {
      await withCancellationFlag { _ in
        await call()
        if depth > 1 { await nest(depth - 1, call) }
      }
    }
    stage.begin { call in await nest(200, call) }
    for number in 1..<200 {
      stage.backend.answer(call: number)
      stage.run()
    }
    stage.cancel()
    stage.run()
    stage.backend.answer(call: 200)
    await stage.endsCancelled(after: 199)
  }

  @Test(arguments: BridgeForm.all)
  func `gets 1,000 calls of a task group, which is cancelled, and answers late`(
    form: BridgeForm
  ) async {
    let stage = HostileStage(form)
    stage.begin { call in
      await withTaskGroup { group in
        for _ in 0..<1_000 { group.addTask { await call() } }
      }
    }
    stage.cancel()
    stage.run()
    stage.backend.answer()
    await stage.endsCancelled(1_000)
  }
}
