import CooperativeCancellation
import FakeCallbackSDK
import Testing

// Typical sequences, with an SDK and a state that are not `Sendable`. That they compile is half of the test; the
// runtime's own check of the isolation is the other half. Compiled twice: with the settings of a new package, where a
// nonisolated asynchronous function leaves its caller's actor, and with those of this package.

@MainActor
private final class MainActorSequences {
  let station = FakeStation(Mast(greeting: [.play]))
  var steps: [String] = []

  func songs() -> AsyncCallbackSequence<Song> {
    AsyncCallbackSequence(buffering: .newest(1)) { [station] yield in
      MainActor.preconditionIsolated()
      self.steps.append("subscribe")
      return station.addListener(yield)
    } onTermination: { subscriber in
      MainActor.preconditionIsolated()
      self.steps.append("terminate")
      subscriber.remove()
    }
  }

  func read() async throws {
    for await song in songs() {
      MainActor.preconditionIsolated()
      steps.append(song.title)
      break
    }
    var iterator = songs().makeAsyncIterator()
    if let song = await iterator.next() { steps.append(song.title) }
    iterator = songs().makeAsyncIterator()
    for try await title in songs().map(\.title).dropFirst(0) {
      steps.append(title)
      break
    }
  }
}

private actor ActorSequences {
  let station = FakeStation(Mast(greeting: [.play]))
  var steps: [String] = []

  func songs() -> AsyncThrowingCallbackSequence<Song> {
    AsyncThrowingCallbackSequence(buffering: .newest(1)) { yield in
      self.preconditionIsolated()
      self.steps.append("subscribe")
      return self.station.addResults(yield)
    } onTermination: { subscriber in
      self.preconditionIsolated()
      self.steps.append("terminate")
      subscriber.remove()
    }
  }

  func read() async throws {
    for try await song in songs() {
      preconditionIsolated()
      steps.append(song.title)
      break
    }
    var iterator = songs().makeAsyncIterator()
    if let song = try await iterator.next() { steps.append(song.title) }
    iterator = songs().makeAsyncIterator()
    for try await title in songs().map(\.title).dropFirst(0) {
      steps.append(title)
      break
    }
  }

  /// For readers anywhere.
  func songsForAll() -> SendableCallbackSequence<Song, any Error> { songs().sendable() }
}

@Suite("Call sites of sequences", .watchdog)
struct SequenceCallSiteTests {
  private static let steps = [
    "subscribe", "1", "terminate", "subscribe", "2", "terminate", "subscribe", "3", "terminate",
  ]

  @MainActor @Test
  func `from the main actor`() async throws {
    let sequences = MainActorSequences()
    try await sequences.read()
    #expect(sequences.steps == Self.steps)
  }

  @Test
  func `from an actor`() async throws {
    let sequences = ActorSequences()
    try await sequences.read()
    #expect(await sequences.steps == Self.steps)
  }

  @Test
  func `from nonisolated code`() async {
    final class Steps {
      var all: [String] = []
    }
    let station = FakeStation(Mast(greeting: [.play, .end]))
    let steps = Steps()
    let songs = AsyncCallbackSequence(buffering: .unbounded) { yield, finish in
      steps.all.append("subscribe")
      return station.listen(yield, end: finish)
    } onTermination: { subscriber in
      steps.all.append("terminate")
      subscriber.remove()
    }
    for await song in songs { steps.all.append(song.title) }
    #expect(steps.all == ["subscribe", "1", "terminate"])
    #expect(station.mast.removed == [1])
  }

  @MainActor @Test
  func `a sequence that an actor hands out registers on that actor, wherever it is read`()
    async throws
  {
    let sequences = ActorSequences()
    let songs = await sequences.songsForAll()
    let elsewhere = Task.detached {
      for try await _ in songs { break }
    }
    for try await _ in songs { break }
    try await elsewhere.value
    // Both left on another actor: unregistered on theirs, soon after.
    while await sequences.steps.count < 4 { await Task.yield() }
    #expect(
      await sequences.steps.sorted() == ["subscribe", "subscribe", "terminate", "terminate"]
    )
  }
}
