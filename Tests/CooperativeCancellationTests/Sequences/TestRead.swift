import CooperativeCancellation
import FakeCallbackSDK

/// One sequence, read in a task of its own, on the test's thread.
struct TestRead: ~Copyable {
  let mast: Mast
  let watch: SequenceWatch
  let executor = ManualExecutor()
  let task: Task<Void, Never>
  private let log = Log()

  private final class Log: Sendable {
    let readings = Protected<[Reading]>([])
  }

  /// Makes the task; it has not begun to run.
  ///
  /// - Parameters:
  ///   - limit: How many elements to read before the reader leaves the loop.
  ///   - more: How often to read again after the end.
  init(
    _ form: SequenceForm,
    _ mast: Mast = Mast(),
    _ watch: SequenceWatch = SequenceWatch(),
    limit: Int = .max,
    more: Int = 0
  ) {
    self.mast = mast
    self.watch = watch
    task = Task(executorPreference: executor) { [log] in
      let reader = form.read(FakeStation(mast), watch, nil)
      var elements = 0
      var ends = 0
      while elements < limit, ends <= more {
        let reading = await reader.next()
        log.readings.withLock { $0.append(reading) }
        if case .element = reading { elements += 1 } else { ends += 1 }
      }
    }
  }

  /// Runs the task until it has ended or sleeps.
  func run() {
    executor.runUntilIdle()
  }

  func cancel() {
    task.cancel()
  }

  var readings: [Reading] { log.readings.withLock { $0 } }

  /// The titles of all songs that were received.
  var received: [String] {
    readings.flatMap { reading -> [String] in
      guard case .element(let titles) = reading else { return [] }
      return titles.split(separator: "+").map(String.init)
    }
  }
}
