import CooperativeCancellation
import FakeCallbackSDK
import Testing

/// Something that an SDK, or the code around it, does to a bridge; a row of the table.
///
/// It is played with every form of bridge. At the end, the stage always checks that each call ended
/// once, that delivered + discarded = produced, that `onCancel` ran at most once for each, and that
/// nothing is left alive. To add one of your own, add it to ``all``.
struct HostileScenario: Sendable {
  /// Continues the sentence "The SDK …".
  let name: String

  /// Whether an answer must bring a value, or else the form is left out.
  var needsValue = false

  let play: @Sendable (HostileStage) -> Void

  static let all = [
    HostileScenario(name: "answers before the call returns") { stage in
      stage.begin(.insideTheCall)
    },

    HostileScenario(name: "answers inside the cancellation, on its thread") { stage in
      stage.begin { call in
        await withTaskCancellationHandler(operation: call) { stage.backend.answer() }
      }
      stage.cancel()
    },

    HostileScenario(name: "answers from a `deinit`") { stage in
      stage.begin()
      let backend = stage.backend
      _ = OnRelease { backend.answer() }
    },

    HostileScenario(name: "answers from the `deinit` of its request, after cancellation") { stage in
      stage.begin()
      let backend = stage.backend
      backend.hooks.withLock { $0.onRequestRelease = { backend.answer() } }
      stage.cancel()
    },

    HostileScenario(name: "answers, and the task makes its next call inside that callback") {
      stage in
      stage.begin { call in
        await call()
        await call()
      }
      stage.runInsideCallbacks()
      stage.backend.answer(call: 1)
      #expect(stage.backend.counts.started == 2, "the next call is made inside the callback")
      stage.backend.answer(call: 2)
    },

    HostileScenario(name: "cancels the task from inside the call, then answers") { stage in
      stage.begin(.insideTheCall, Watch(beforeSDK: { stage.cancel() }))
    },

    HostileScenario(name: "answers, and cancels the task in the same callback") { stage in
      stage.begin()
      stage.backend.answer()
      stage.cancel()
    },

    HostileScenario(name: "answers under the lock that its `cancel()` takes, during cancellation") {
      stage in
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
    },

    HostileScenario(name: "answers twice, from two threads at once") { stage in
      stage.begin()
      raceTwo { _ in stage.backend.answer() }
    },

    HostileScenario(name: "answers after a cancellation, when the service object is gone") {
      stage in
      stage.begin()
      stage.cancel()
      stage.run()
      #expect(stage.isWaiting == (stage.backend.services > 0))
      stage.backend.answer()
    },

    HostileScenario(
      name: "brings a value whose `deinit` brings another, three times",
      needsValue: true
    ) { stage in
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
    },

    HostileScenario(name: "answers inside its `cancel()`") { stage in
      stage.begin(.answeringCancellation)
      stage.cancel()
    },

    HostileScenario(
      name: "answers twice, and `onDiscard` of the second value cancels the task",
      needsValue: true
    ) { stage in
      stage.begin(.onDemand, Watch(inOnDiscard: { stage.cancel() }))
      stage.backend.answer()
      stage.backend.answer()
    },

    HostileScenario(
      name: "gets 200 calls of one task, in nested scopes, and the last is cancelled"
    ) { stage in
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
    },

    HostileScenario(
      name: "gets 1,000 calls of a task group, which is cancelled, and answers late"
    ) { stage in
      stage.begin { call in
        await withTaskGroup { group in
          for _ in 0..<1_000 { group.addTask { await call() } }
        }
      }
      stage.cancel()
      stage.run()
      stage.backend.answer()
    },
  ]
}
