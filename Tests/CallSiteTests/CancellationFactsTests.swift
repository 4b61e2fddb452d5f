import Dispatch
import Testing

/// What the language does, without this library: the facts of the page "Your own tasks".
@Suite("What cancellation does in Swift", .watchdog)
struct CancellationFactsTests {
  @Test
  func `a cancelled task that does not check runs to its end`() async {
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
  func `children are cancelled with their parent, and other tasks are not`() async {
    let parent = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      async let child = Task.isCancelled
      let other = Task { Task.isCancelled }
      return (child: await child, other: await other.value)
    }
    #expect(await parent.value == (child: true, other: false))
  }

  @Test
  func `a cancelled wait for another task's value goes on`() async {
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
  func `the cleanup of a cancelled task cannot wait`() async {
    let task = Task {
      do {
        withUnsafeCurrentTask { $0?.cancel() }
        try Task.checkCancellation()
      } catch {
        // It would never end if it waited.
        try await Task.sleep(for: .seconds(100_000))
      }
    }
    let result = await task.result
    #expect(throws: CancellationError.self) { try result.get() }
  }

  @Test
  func `a cancelled loop over a stream ends as if the stream had finished`() async {
    let (numbers, source) = AsyncStream<Int>.makeStream()
    let reader = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      for await number in numbers { return "\(number)" }
      return "the end"
    }
    #expect(await reader.value == "the end")
    source.finish()
  }

  @Test
  func `a loop over a stream whose handler is lost ends only by its cancellation`() async {
    let (ends, note) = AsyncStream<AsyncStream<Int>.Continuation.Termination>.makeStream()
    let numbers = AsyncStream<Int> { lost in lost.onTermination = { note.yield($0) } }
    let reader = Task { for await _ in numbers {} }
    reader.cancel()
    await reader.value
    #expect(await ends.first { _ in true } == .cancelled)
  }
}
