// A cancellation with an answer of its own, an object that is closed while calls wait, and answers
// before their call.

import CooperativeCancellation
import Foundation
import PendingAnswers
import Synchronization

@MainActor
final class Downloader {
  private let session: TransferSession
  private(set) var rests: [String: Data] = [:]

  init(_ session: TransferSession) { self.session = session }

  func file(_ name: String) async throws -> String {
    do {
      let file = try await withAsyncThrowingValue(whenCancelled: .deliverResult) { completion in
        let download = session.download(name, resumingFrom: rests[name], completion: completion)
        download.resume()
        return download
      } onCancel: { download in
        // The error brings the same data.
        download.cancel { @Sendable _ in }
      }
      rests[name] = nil
      return file
    } catch let error as TransferError {
      rests[name] = error.resumeData
      try checkpoint()
      throw error
    }
  }
}

@MainActor
final class Copier {
  private let sdk: CopySDK

  init(_ sdk: CopySDK) { self.sdk = sdk }

  /// Returns how many files were copied, also if the task was cancelled before the last one.
  func copy(_ folder: String) async throws -> Int {
    try await withAsyncThrowingValue(whenCancelled: .deliverResult) { completion in
      (sdk.copy(folder, completion: completion), completion)
    } onCancel: { job, completion in
      job.cancel { @Sendable count in completion(.success(count)) }
    }
  }
}

@MainActor
final class Call {
  private let peer: Peer
  private let offers = PendingCalls<Int, String>()
  private var lastNumber = 0

  init(_ peer: Peer) { self.peer = peer }

  func offer() async throws -> String {
    lastNumber += 1
    let number = lastNumber
    return try await offers.value(for: number) {
      peer.createOffer { @Sendable [offers] in offers.resume(number, with: $0) }
    }
  }

  func hangUp() {
    peer.close()
    offers.close(throwing: CallEnded())
  }
}

struct CallEnded: Error {}

@MainActor
final class Uploads: UploadSessionDelegate {
  private let session: UploadSession
  private var ends: [Int: PendingEvent<Result<Int, any Error>>] = [:]

  init(_ session: UploadSession) {
    self.session = session
    session.delegate = self
  }

  /// Begins an upload, and returns its number, which is still valid after a relaunch.
  func start(_ file: String) -> Int { session.upload(file) }

  func status(of upload: Int) async throws -> Int {
    let result = try await end(of: upload).value()
    ends[upload] = nil
    return try result.get()
  }

  /// Made by the delegate or by the caller, whichever comes first.
  private func end(of upload: Int) -> PendingEvent<Result<Int, any Error>> {
    if let end = ends[upload] { return end }
    let end = PendingEvent<Result<Int, any Error>>()
    ends[upload] = end
    return end
  }

  // The session's delegate queue is the main queue.
  nonisolated func upload(_ upload: Int, didCompleteWith result: Result<Int, any Error>) {
    MainActor.assumeIsolated { end(of: upload).close(returning: result) }
  }
}

// MARK: - The SDKs

struct TransferError: Error {
  var resumeData: Data?
}

/// As the download tasks of `URLSession`, by Apple's pages of `cancel(byProducingResumeData:)` and
/// `NSURLSessionDownloadTaskResumeData`: a cancellation produces the data later, for its own
/// closure and for the error of the completion handler, which is always called.
nonisolated final class TransferSession: Sendable {
  let resumptions = Mutex<[Data?]>([])

  func download(
    _ name: String,
    resumingFrom data: Data?,
    completion: @escaping Pair<String>
  ) -> Download {
    resumptions.withLock { $0.append(data) }
    return Download(name, completion)
  }
}

nonisolated final class Download: Sendable {
  private let name: String
  private let completion: Pair<String>
  private let end = Once()
  private let produce = Mutex<(@Sendable (Data?) -> Void)?>(nil)

  init(_ name: String, _ completion: @escaping Pair<String>) {
    self.name = name
    self.completion = completion
  }

  func resume() {
    end.begin(
      SDKRequest { [weak self] error in
        guard let self else { return }
        // It may have finished before the cancellation took effect.
        if error == nil { return completion(name, nil) }
        guard end.hasEnded else { return completion(nil, TransferError()) }
        completion(nil, TransferError(resumeData: Data(name.utf8)))
        produce.withLock { $0 }?(Data(name.utf8))
      }
    )
  }

  func cancel(byProducingResumeData produce: @escaping @Sendable (Data?) -> Void) {
    self.produce.withLock { $0 = produce }
    end.end()
  }
}

/// A cancellation is answered by its own closure, and then the completion handler is not called.
nonisolated final class CopySDK: Sendable {
  func copy(_ folder: String, completion: @escaping Handler<Int>) -> CopyJob {
    CopyJob(completion)
  }
}

nonisolated final class CopyJob: Sendable {
  private let end = Once()
  private let answer = Mutex<(@Sendable (Int) -> Void)?>(nil)

  init(_ completion: @escaping Handler<Int>) {
    end.begin(
      SDKRequest { [weak self] error in
        guard let self else { return }
        if let error { return completion(.failure(error)) }
        if let answer = answer.withLock({ $0 }) { answer(2) } else { completion(.success(3)) }
      }
    )
  }

  func cancel(_ answer: @escaping @Sendable (_ copied: Int) -> Void) {
    self.answer.withLock { $0 = answer }
    end.end()
  }
}

/// As a peer connection of WebRTC, by stasel/WebRTC-iOS#70: after `close()`, it calls no completion
/// handler.
nonisolated final class Peer: Sendable {
  private let isClosed = Mutex(false)
  private let kept = Mutex<[Handler<String>]>([])

  func createOffer(_ completion: @escaping Handler<String>) {
    kept.withLock { $0.append(completion) }
    _ = SDKRequest("offer") { [self] result in
      if !isClosed.withLock({ $0 }) { completion(result) }
    }
  }

  func close() { isClosed.withLock { $0 = true } }
}

nonisolated protocol UploadSessionDelegate: AnyObject, Sendable {
  func upload(_ upload: Int, didCompleteWith result: Result<Int, any Error>)
}

/// As a background session of `URLSession`, by Apple's page "Downloading files in the background"
/// and that of `URLSessionTaskDelegate`: uploads go on without the app, and after a relaunch the
/// delegate learns of their ends, on its queue, before the app has asked for them.
@MainActor
final class UploadSession {
  weak var delegate: (any UploadSessionDelegate)?
  private var lastUpload = 0

  func upload(_ file: String) -> Int {
    lastUpload += 1
    let upload = lastUpload
    _ = SDKRequest(201) { result in
      Task { @MainActor in self.delegate?.upload(upload, didCompleteWith: result) }
    }
    return upload
  }
}
