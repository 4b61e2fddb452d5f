// A call that begins now and is awaited later, and a stop that is ignored until the SDK has
// started.

import CooperativeCancellation
import Dispatch
import PendingAnswers
import Synchronization

@MainActor
final class Recording {
  private let recorder: Recorder
  private let end = PendingEvent<String>()

  /// Begins to record at once.
  init(_ recorder: Recorder) throws {
    self.recorder = recorder
    try recorder.start { [end] file, error in
      if let file { end.close(returning: file) } else { end.close(throwing: error ?? NoFile()) }
    }
  }

  func stop() { recorder.stop() }

  /// Waits until the recording has ended, and returns its file.
  func file() async throws -> String {
    do {
      return try await end.value()
    } catch {
      recorder.stop()
      throw error
    }
  }
}

struct NoFile: Error {}

@MainActor
final class Camera {
  private let output: MovieOutput
  private let recording = PendingCall<String>()

  init(_ output: MovieOutput) { self.output = output }

  /// Records until the task is cancelled, and returns the file.
  func movie() async throws -> String {
    try await withCancellationFlag { flag in
      try await recording.value(whenCancelled: .deliverResult) {
        let delegate = MovieDelegate(recording, flag)
        output.startRecording(delegate)
        return delegate
      } onCancel: { _ in
        output.stopRecording()
      }
    }
  }
}

nonisolated final class MovieDelegate: MovieOutputDelegate {
  private let recording: PendingCall<String>
  private let flag: CancellationFlag

  init(_ recording: PendingCall<String>, _ flag: CancellationFlag) {
    self.recording = recording
    self.flag = flag
  }

  func outputDidStartRecording(_ output: MovieOutput) {
    // The output has ignored a stop that came before this.
    if flag.isCancelled { output.stopRecording() }
  }

  func output(_ output: MovieOutput, didFinishRecordingTo file: String, error: (any Error)?) {
    if let error { recording.resume(throwing: error) } else { recording.resume(returning: file) }
  }
}

// MARK: - The SDKs

/// As `AVAudioRecorder`, by Apple's page of `audioRecorderDidFinishRecording(_:successfully:)`: it
/// begins at once or refuses, and reports its end, also after a stop. The page says that it does
/// not report an interruption.
nonisolated final class Recorder: Sendable {
  private let stopping = Once()
  private let isRunning = Mutex(true)
  private let mayStart: Bool

  init(mayStart: Bool = true) { self.mayStart = mayStart }

  func start(_ completion: @escaping Pair<String>) throws {
    if !mayStart { throw SDKError() }
    stopping.begin(
      SDKRequest("a.m4a") { [weak self] file, error in
        // A stop has no effect then, and the check does not count it.
        if error != nil { self?.isRunning.withLock { $0 = false } }
        completion(file, error)
      }
    )
  }

  func stop() { if isRunning.withLock({ $0 }) { stopping.end() } }
}

nonisolated protocol MovieOutputDelegate: AnyObject {
  func outputDidStartRecording(_ output: MovieOutput)
  func output(_ output: MovieOutput, didFinishRecordingTo file: String, error: (any Error)?)
}

/// As `AVCaptureMovieFileOutput`, by Apple's pages of `AVCaptureFileOutputRecordingDelegate`:
/// recording begins later, and its end is always reported. Public reports say that a stop before
/// the beginning is ignored.
nonisolated final class MovieOutput: @unchecked Sendable {
  private weak var delegate: (any MovieOutputDelegate)?
  private var stop = Once()
  private let isRecording = Mutex(false)
  private let startsByItself: Bool

  init(startsByItself: Bool = true) { self.startsByItself = startsByItself }

  func startRecording(_ delegate: any MovieOutputDelegate) {
    self.delegate = delegate
    stop = Once()
    stop.begin(SDKRequest { [weak self] in self?.finish($0) })
    if startsByItself { DispatchQueue.global().async { self.begin() } }
  }

  func begin() {
    isRecording.withLock { $0 = true }
    delegate?.outputDidStartRecording(self)
  }

  func stopRecording() { if isRecording.withLock({ $0 }) { stop.end() } }

  private func finish(_ error: (any Error)?) {
    isRecording.withLock { $0 = false }
    delegate?.output(self, didFinishRecordingTo: "a.mov", error: error)
  }
}
