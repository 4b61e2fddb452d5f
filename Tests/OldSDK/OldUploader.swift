// An SDK from before Swift 6: compiled in language mode 5, without annotations about threads.

import Dispatch

public final class OldUploader {
  /// Not `Sendable`, though any thread may cancel it.
  public final class Task {
    private let lock = DispatchSemaphore(value: 1)
    private var wasCancelled = false

    public func cancel() {
      lock.wait()
      wasCancelled = true
      lock.signal()
    }

    public var isCancelled: Bool {
      lock.wait()
      defer { lock.signal() }
      return wasCancelled
    }
  }

  public init() {}

  /// Answers unless the task is cancelled before that; hands the task over, and answers, on a
  /// thread of its own.
  public func upload(
    _ file: String,
    taskHandler: @escaping (Task) -> Void,
    completion: @escaping (Int, Error?) -> Void
  ) {
    DispatchQueue.global().async {
      let task = Task()
      taskHandler(task)
      if !task.isCancelled { completion(file.count, nil) }
    }
  }
}
