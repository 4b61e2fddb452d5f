import CallbackSequences
import CooperativeCancellation
import CooperativeCancellationTesting
import FakeCallbackSDK
import Testing

@Suite("Sequences: registered at once", .watchdog) struct StartedSequenceTests {
  private let mast = Mast()

  @Test(arguments: [nil, MainActor.shared] as [(any Actor)?])
  func `elements wait from the registration on, and are read once, on the actor`(
    isolation: (any Actor)?
  ) async throws {
    try await expectAll(isolation: isolation)
  }

  private func expectAll(isolation: isolated (any Actor)?) async throws {
    let look: @Sendable () -> Void = { isolation?.preconditionIsolated() }
    let watch = SequenceWatch(inSubscribe: look, inTermination: look)
    let started = try SequenceForm.failing(mast, watch, isolation).started()
    #expect(watch.events == [.subscribed])
    mast.play()
    mast.play()
    mast.end()
    var titles: [String] = []
    for try await song in started { titles.append(song.title) }
    #expect(titles == ["1", "2"])
    #expect(watch.events == [.subscribed, .terminated])
    for try await _ in started { Issue.record("it is read once") }
    #expect(mast.songsAlive.count == 0)
  }

  @Test func `started throws what the registration throws`() {
    let watch = SequenceWatch(inSubscribe: { throw SDKError.failed })
    #expect(throws: SDKError.failed) {
      _ = try SequenceForm.failing(mast, watch, nil).started()
    }
    #expect(watch.events == [.subscribed])
  }

  @Test(arguments: [false, true])
  func `the release of what started returns unregisters, in a cancelled task, too`(
    isCancelled: Bool
  )
    async throws
  {
    let watch = SequenceWatch()
    let task = Task {
      if isCancelled { cancelThisTask() }
      do {
        let started = try SequenceForm.failing(mast, watch, nil).started()
        #expect(watch.events == [.subscribed])
        mast.play()
        withExtendedLifetime(started) {}
      }
      #expect(watch.events == [.subscribed, .discarded("1"), .terminated])
    }
    try await task.value
    #expect(mast.songsAlive.count == 0)
  }
}
