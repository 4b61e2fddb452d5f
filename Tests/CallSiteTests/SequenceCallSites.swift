import CooperativeCancellation
import FakeCallbackSDK
import Testing

/// Typical sequences, with the settings of a new package, where a nonisolated asynchronous function
/// leaves its caller's actor.
@MainActor
private final class MainActorSequences {
  let station = FakeStation(Mast(greeting: [.play]))
  var steps: [String] = []

  func songs() -> AsyncCallbackSequence<Song> {
    AsyncCallbackSequence(buffering: .newest(1)) { [station] yield in
      MainActor.preconditionIsolated()
      self.steps.append("subscribe")
      return station.addListener(yield)
    } onTermination: {
      MainActor.preconditionIsolated()
      self.steps.append("terminate")
      $0.remove()
    }
  }

  func loop() async {
    for await song in songs() {
      MainActor.preconditionIsolated()
      steps.append(song.title)
      break
    }
  }

  func iterate() async -> String? {
    var iterator = songs().makeAsyncIterator()
    return await iterator.next()?.title
  }

  func drop() async throws {
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
    } onTermination: {
      self.preconditionIsolated()
      self.steps.append("terminate")
      $0.remove()
    }
  }

  func loop() async throws {
    for try await song in songs() {
      preconditionIsolated()
      steps.append(song.title)
      break
    }
  }

  func iterate() async throws -> String? {
    var iterator = songs().makeAsyncIterator()
    return try await iterator.next()?.title
  }
}

@Suite("Call sites of sequences")
struct SequenceCallSiteTests {
  @MainActor @Test
  func `from the main actor`() async throws {
    let sequences = MainActorSequences()
    await sequences.loop()
    #expect(sequences.steps == ["subscribe", "1", "terminate"])
    #expect(await sequences.iterate() == "2")
    #expect(sequences.steps.suffix(2) == ["subscribe", "terminate"])
    try await sequences.drop()
    #expect(sequences.steps.suffix(3) == ["subscribe", "3", "terminate"])
  }

  @Test
  func `from an actor`() async throws {
    let sequences = ActorSequences()
    try await sequences.loop()
    #expect(await sequences.steps == ["subscribe", "1", "terminate"])
    #expect(try await sequences.iterate() == "2")
    #expect(await sequences.steps.suffix(2) == ["subscribe", "terminate"])
  }

  @Test
  func `from nonisolated code`() async {
    let station = FakeStation(Mast(greeting: [.play, .end]))
    var titles: [String] = []
    let songs = AsyncCallbackSequence(buffering: .unbounded) { yield, finish in
      station.listen(yield, end: finish)
    } onTermination: {
      $0.remove()
    }
    for await song in songs { titles.append(song.title) }
    #expect(titles == ["1"])
    #expect(station.mast.removed == [1])
  }
}
