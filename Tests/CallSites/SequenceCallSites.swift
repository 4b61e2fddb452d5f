import CallbackSequences
import CooperativeCancellation
import FakeCallbackSDK
import Testing

// Typical sequences, with an SDK and a state that are not `Sendable`. That they compile is half of
// the test; the runtime's own check of the isolation, in `count()`, is the other half. Compiled
// with each `Calls`, and from an actor also with `NonisolatedNonsendingByDefault`.

extension Calls {
  private func songs() -> AsyncCallbackSequence<Song> {
    AsyncCallbackSequence(buffering: .newest(1)) { [station] yield in
      self.note("subscribe")
      return station.addListener(yield)
    } onTermination: { subscriber in
      self.note("terminate")
      subscriber.remove()
    }
  }

  private func results() -> AsyncThrowingCallbackSequence<Song> {
    AsyncThrowingCallbackSequence(buffering: .newest(1)) { yield in
      self.note("subscribe")
      return self.station.addResults(yield)
    } onTermination: { subscriber in
      self.note("terminate")
      subscriber.remove()
    }
  }

  private func note(_ step: String) {
    count()
    steps.append(step)
  }

  func readSequences() async throws {
    for await song in songs() {
      note(song.title)
      break
    }
    var iterator = results().makeAsyncIterator()
    if let song = try await iterator.next() { note(song.title) }
    iterator = results().makeAsyncIterator()
    for try await title in songs().map(\.title).dropFirst(0) {
      note(title)
      break
    }
    #expect(steps == [1, 2, 3].flatMap { ["subscribe", "\($0)", "terminate"] })
  }
}

@Suite("Call sites of sequences") struct SequenceCallSiteTests {
  @Test
  func `each closure runs where the sequence was made, before the reader goes on`() async throws {
    try await Calls(Backend(.later)).readSequences()
  }
}
