import Dispatch
import Testing

/// What the language does, without this library: the code of the page "What a cancel is".
@Suite("What a cancel is", .timeLimit(.minutes(10)))
struct CancellationFactsTests {
  @Test
  func `a cancelled task that does not look runs to its end`() async {
    let task = Task {
      var sum = 0
      for number in 1...1_000 { sum += number }
      return sum
    }
    task.cancel()
    #expect(await task.value == 500_500)
    #expect(task.isCancelled)
  }

  @Test
  func `a callback cannot see that its caller is cancelled`() async {
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      #expect(Task.isCancelled)
      return await withCheckedContinuation { continuation in
        DispatchQueue.global().async { continuation.resume(returning: Task.isCancelled) }
      }
    }
    #expect(await task.value == false)
  }

  @Test
  func `children hear of it, and other tasks do not`() async {
    let parent = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      async let child = Task.isCancelled
      let other = Task { Task.isCancelled }
      return (child: await child, other: await other.value)
    }
    #expect(await parent.value == (child: true, other: false))
  }

  @Test
  func `whoever waits for another task's value waits on`() async {
    let (gate, opener) = AsyncStream<Void>.makeStream()
    let worker = Task {
      for await _ in gate { break }
      return "a value"
    }
    let waiter = Task { await worker.value }
    waiter.cancel()
    opener.yield()
    #expect(await waiter.value == "a value")
    #expect(!worker.isCancelled)
  }

  @Test
  func `in a cancelled task the handler runs before the body`() async {
    let (events, note) = AsyncStream<String>.makeStream()
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      await withTaskCancellationHandler {
        _ = note.yield("body")
      } onCancel: {
        note.yield("handler")
      }
    }
    await task.value
    note.finish()
    #expect(await events.reduce(into: []) { $0.append($1) } == ["handler", "body"])
  }

  @Test
  func `once cancelled, a task stays so: its clean-up cannot wait either`() async {
    let task = Task {
      do {
        withUnsafeCurrentTask { $0?.cancel() }
        try Task.checkCancellation()
      } catch {
        try await Task.sleep(for: .milliseconds(1))
      }
    }
    let result = await task.result
    #expect(throws: CancellationError.self) { try result.get() }
  }

  @Test
  func `a cancelled loop over a stream ends as if the stream had`() async {
    let (numbers, source) = AsyncStream<Int>.makeStream()
    let reader = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      for await number in numbers { return "\(number)" }
      return "the end"
    }
    #expect(await reader.value == "the end")
    source.finish()
  }
}
