// A file that is valid only inside the callback, and values of a `PendingCall` that must be closed.

import CooperativeCancellation
import CooperativeCancellationTesting
import Foundation
import PendingAnswers

@MainActor
final class Transfers {
  private let session: FileSession
  private let folder: URL

  init(_ session: FileSession, folder: URL) {
    self.session = session
    self.folder = folder
  }

  func file(from address: String) async throws -> URL {
    let file = folder.appendingPathComponent(UUID().uuidString)
    return try await withAsyncThrowingValue { completion in
      let task = session.downloadTask(from: address) { @Sendable location, error in
        guard let location else { return completion(nil, error) }
        do {
          // The session removes its file when this closure returns.
          try FileManager.default.moveItem(at: location, to: file)
          completion(file, nil)
        } catch {
          completion(nil, error)
        }
      }
      task.resume()
      return task
    } onCancel: { task in
      task.cancel()
    } onDiscard: { file in
      try? FileManager.default.removeItem(at: file)
    }
  }
}

@MainActor
final class Cars {
  private let radio: CarRadio
  private let opening: PendingCall<Channel>

  init(_ radio: CarRadio) {
    self.radio = radio
    let opening = PendingCall<Channel>(onDiscard: { channel in channel.close() })
    self.opening = opening
    radio.onOpen = { @Sendable channel in opening.resume(returning: channel) }
    radio.onFailure = { @Sendable error in opening.resume(throwing: error) }
  }

  func channel() async throws -> Channel {
    try await opening.value {
      radio.open()
    } onCancel: {
      radio.stopOpening()
    }
  }
}

// MARK: - The SDKs

/// As `URLSession`, by Apple's page of `downloadTask(with:completionHandler:)`: the file is gone
/// when the handler returns.
nonisolated final class FileSession: Sendable {
  func downloadTask(
    from address: String,
    completion: @escaping @Sendable (URL?, (any Error)?) -> Void
  ) -> FileTask {
    FileTask(completion)
  }
}

nonisolated final class FileTask {
  private var completion: (@Sendable (URL?, (any Error)?) -> Void)?
  private var request: SDKRequest?

  init(_ completion: @escaping @Sendable (URL?, (any Error)?) -> Void) {
    self.completion = completion
  }

  func resume() {
    guard let completion = completion.take() else { return }
    request = SDKRequest { error in
      if let error { return completion(nil, error) }
      let name = "session-\(UUID().uuidString)"
      let location = FileManager.default.temporaryDirectory.appendingPathComponent(name)
      _ = FileManager.default.createFile(atPath: location.path, contents: Data("hello".utf8))
      completion(location, nil)
      try? FileManager.default.removeItem(at: location)
    }
  }

  func cancel() { request?.cancel() }
}

/// Opens one channel at a time, and reports each to the same closure.
@MainActor
final class CarRadio {
  var onOpen: @Sendable (Channel) -> Void = { _ in }
  var onFailure: @Sendable (any Error) -> Void = { _ in }
  private let openChannels: LiveCount
  private var request: SDKRequest?

  init(openChannels: LiveCount) { self.openChannels = openChannels }

  func open() {
    request = SDKRequest { [onOpen, onFailure, openChannels] error in
      if let error { return onFailure(error) }
      onOpen(Channel(openChannels))
    }
  }

  func stopOpening() { request?.cancel() }
}

nonisolated final class Channel: Sendable {
  private let openChannels: LiveCount

  init(_ openChannels: LiveCount) {
    self.openChannels = openChannels
    openChannels.increment()
  }

  func close() { openChannels.decrement() }
}
