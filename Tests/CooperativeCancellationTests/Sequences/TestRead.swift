import CooperativeCancellation
import FakeCallbackSDK

/// Something that happens to a subscription.
enum SequenceStep: Hashable, Sendable {
  /// Runs the reader until it has ended or sleeps.
  case run
  case cancel
  case sends(Mast.Greeting)

  static let (play, end) = (sends(.play), sends(.end))
  static let (fail, release) = (sends(.fail), sends(.release))
  static let all = [run, cancel] + Mast.Greeting.allCases.map(sends)
}

/// How a subscription may end.
enum WayToEnd: CaseIterable, Sendable {
  case finish
  case failure
  case release
  case cancel
  case leave

  /// Whether this form has that way.
  func exists(in form: SequenceForm) -> Bool {
    switch self {
    case .finish: form.finishes
    case .failure: form.fails
    case .release, .cancel, .leave: true
    }
  }

  /// What the SDK does.
  var greeting: Mast.Greeting? {
    switch self {
    case .finish: .end
    case .failure: .fail
    case .release: .release
    case .cancel, .leave: nil
    }
  }

  /// What has to happen. A reader that leaves does so after the first element.
  var steps: [SequenceStep] { greeting.map { [.sends($0)] } ?? (self == .cancel ? [.cancel] : []) }

  /// What the reader receives.
  func readings(in form: SequenceForm) -> [Reading] {
    switch self {
    case .finish, .release: [.end]
    case .failure: [form.failed]
    case .cancel: [form.cancelled]
    case .leave: []
    }
  }

  var limit: Int { self == .leave ? 1 : .max }
}

/// One sequence, read in a task of its own, on the threads of the test.
final class TestRead: Sendable {
  let mast: Mast
  let watch: SequenceWatch
  let executor = ManualExecutor()
  let task: Task<Void, Never>
  private let log = Protected<[Reading]>([])

  /// Makes the task; it has not begun to run.
  ///
  /// - Parameters:
  ///   - limit: How many elements to read before the reader leaves the loop.
  ///   - more: How often to read again after the end.
  convenience init(
    _ form: SequenceForm,
    _ mast: Mast = Mast(),
    _ watch: SequenceWatch = SequenceWatch(),
    limit: Int = .max,
    more: Int = 0
  ) {
    self.init(mast, watch, limit: limit, more: more) { form.read(FakeStation(mast), watch, nil) }
  }

  init(
    _ mast: Mast = Mast(),
    _ watch: SequenceWatch = SequenceWatch(),
    limit: Int = .max,
    more: Int = 0,
    reader: @escaping @Sendable () -> Reader
  ) {
    self.mast = mast
    self.watch = watch
    task = Task(executorPreference: executor) { [log] in
      let reader = reader()
      var elements = 0
      var ends = 0
      while elements < limit, ends <= more {
        let reading = await reader.next()
        log.withLock { $0.append(reading) }
        if case .element = reading { elements += 1 } else { ends += 1 }
      }
    }
  }

  func perform(_ steps: [SequenceStep]) {
    for step in steps {
      switch step {
      case .run: executor.runUntilIdle()
      case .cancel: task.cancel()
      case .sends(let greeting): mast.sendAll(greeting)
      }
    }
  }

  func perform(_ steps: SequenceStep...) { perform(steps) }

  var readings: [Reading] { log.withLock { $0 } }

  /// The titles of all songs that were received.
  var received: [String] {
    readings.flatMap { reading -> [String] in
      guard case .element(let titles) = reading else { return [] }
      return titles.split(separator: "+").map(String.init)
    }
  }
}
