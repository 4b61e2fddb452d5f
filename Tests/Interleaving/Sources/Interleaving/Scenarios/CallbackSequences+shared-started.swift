import CallbackSequences
import CooperativeCancellation

extension Scenario {
  static let sharedStarts = [startAndRelease, startAndCancel, startBesideReader]

  /// One slot, as an SDK has it.
  private final class Radio: @unchecked Sendable {
    private let run: Run
    private var listener: (@Sendable (Tracked) -> Void)?
    init(_ run: Run) { self.run = run }

    var isUsed: Bool { listener != nil }

    func songs() -> SendableCallbackSequence<Tracked, any Error> {
      SendableCallbackSequence {
        AsyncThrowingCallbackSequence(buffering: .unbounded) { yield in
          self.run.userCode("registration")
          self.run.expect(!self.isUsed, "a registration begins before the one before is over")
          self.listener = yield
        } onTermination: {
          self.run.userCode("onTermination")
          self.listener = nil
        }
      }.shared()
    }

    /// As a request of the reader makes the SDK do, when `started()` has returned.
    func play() {
      run.expect(isUsed, "started() returned before the registration")
      listener?(Tracked("song", in: run))
    }
  }

  private static func read(
    _ songs: SendableCallbackSequence<Tracked, any Error>,
    _ radio: Radio,
    in run: Run
  ) async throws {
    let started = try await songs.started()
    radio.play()
    for try await _ in started { return run.saw("song") }
  }

  private static let startAndRelease = Scenario(
    "started: two readers",
    outcomes: ["song, song"]
  ) { run in
    let radio = Radio(run)
    let songs = radio.songs()
    for name in ["A", "B"] {
      run.task(name) {
        do { try await read(songs, radio, in: run) } catch { run.fail("\(name) throws \(error)") }
      }
    }
    run.atEnd { run.expect(!radio.isUsed, "the last reader has it unregistered") }
  }

  private static let startAndCancel = Scenario(
    "started: cancellation",
    outcomes: ["started", "cancelled"]
  ) { run in
    let radio = Radio(run)
    let songs = radio.songs()
    let task = run.task("reader") {
      do {
        _ = try await songs.started()
        run.saw("started")
      } catch {
        run.saw(error is CancellationError ? "cancelled" : "\(error)")
      }
    }
    run.thread("canceller") { task.cancel() }
    run.atEnd { run.expect(!radio.isUsed, "the last reader has it unregistered") }
  }

  private static let startBesideReader = Scenario(
    "started: another reader leaves",
    outcomes: ["song"]
  ) { run in
    let radio = Radio(run)
    let songs = radio.songs()
    let other = run.task("other") {
      do { for try await _ in songs {} } catch {}
    }
    run.task("reader") {
      do { try await read(songs, radio, in: run) } catch { run.fail("it throws \(error)") }
    }
    run.thread("canceller") { other.cancel() }
    run.atEnd { run.expect(!radio.isUsed, "the last reader has it unregistered") }
  }
}
