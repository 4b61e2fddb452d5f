// More code of the page "Repeated callbacks".

import CallbackSequences
import CooperativeCancellation
import Foundation

// One slot, and several readers.

@MainActor
final class Chat {
  let messages: SendableCallbackSequence<String, any Error>

  init(_ socket: Socket) {
    messages = AsyncThrowingCallbackSequence(buffering: .unbounded) { yield, finish in
      socket.onMessage = yield
      socket.onClose = finish
      try socket.open()
    } onTermination: {
      socket.close()
    }.sendable().shared()
  }
}

// A state.

@MainActor
final class Network {
  let isOnline: SendableCallbackSequence<Bool, Never>

  init(_ monitor: Monitor) {
    isOnline = AsyncCallbackSequence(buffering: .newest(1)) { yield in
      monitor.onChange = yield  // Registered.
      var isOnline: Bool
      repeat {
        isOnline = monitor.isOnline
        yield(isOnline)
      } while isOnline != monitor.isOnline  // If it changed meanwhile, read it again.
    } onTermination: {
      monitor.onChange = nil
    }.sendable().shared(replayingLatest: true)
  }
}

// A class of your own that yields.

@MainActor
final class Importer {
  private var listener: (report: @Sendable (Double) -> Void, finish: @Sendable () -> Void)?
  private var done = 0.0
  private(set) lazy var progress = makeProgress()

  private func makeProgress() -> SendableCallbackSequence<Double, Never> {
    AsyncCallbackSequence(buffering: .newest(1)) { [weak self] yield, finish in
      self?.listener = (yield, finish)
      self?.report()
    } onTermination: { [weak self] in
      self?.listener = nil
    }.sendable().shared(replayingLatest: true)
  }

  private func report() {
    listener?.report(done)
    if done == 1 { listener?.finish() }
  }

  func run() async {
    while done < 1 {
      done += 0.25
      report()
      await Task.yield()
    }
  }
}

// Registered before something else happens.

@MainActor
final class Quotes {
  private let feed = QuoteFeed()

  func quotes(for name: String) async throws -> AsyncCallbackSequence<Double>.Iterator {
    let quotes = AsyncCallbackSequence(buffering: .newest(1)) { [feed] yield in
      feed.addListener(yield)
    } onTermination: { [feed] token in
      feed.removeListener(token)
    }.started()
    try await feed.subscribe(to: name)
    return quotes
  }
}

@MainActor
final class Ticker {
  private let feed = QuoteFeed()
  private let quotes: SendableCallbackSequence<Double, Never>

  init() {
    quotes = AsyncCallbackSequence(buffering: .newest(1)) { [feed] yield in
      feed.addListener(yield)
    } onTermination: { [feed] token in
      feed.removeListener(token)
    }.sendable().shared()
  }

  func quotes(for name: String) async throws -> AsyncCallbackSequence<Double>.Iterator {
    let quotes = await quotes.started()
    try await feed.subscribe(to: name)
    return quotes
  }
}

@MainActor
final class Pushes {
  private let service = PushService()

  func pushes(about topic: String) async throws -> AsyncCallbackSequence<String>.Iterator {
    var handler: (@Sendable (String) -> Void)?
    var token: SDKRequest?
    let pushes = AsyncCallbackSequence(buffering: .unbounded) { yield in
      handler = yield
    } onTermination: { [service] in
      if let token { Task { await service.unsubscribe(token) } }
    }.started()
    if let yield = handler.take() {
      token = try await service.subscribe(to: topic, handler: yield)
    }
    return pushes
  }
}

// For an interface that demands the standard type.

actor RadioPlayer {
  private let radio = Radio()

  var songs: AsyncStream<String> {
    AsyncCallbackSequence(buffering: .unbounded) { [radio] yield in
      radio.addListener(yield)
    } onTermination: { [radio] token in
      radio.removeListener(token)
    }.asyncStream()
  }

  nonisolated var stations: AsyncStream<String> {
    AsyncStream(buffering: .unbounded) { [radio] yield, _ in
      radio.addListener(yield)
    } onTermination: { [radio] token in
      radio.removeListener(token)
    }
  }
}

// The SDKs.

@MainActor
final class Socket {
  var onMessage: (@Sendable (String) -> Void)?
  var onClose: (@Sendable ((any Error)?) -> Void)?
  private var request: SDKRequest?

  func open() throws {
    request = SDKRequest { [onMessage, onClose] in $0 == nil ? onMessage?("hello") : onClose?($0) }
  }

  func close() {
    request?.cancel()
    (onMessage, onClose, request) = (nil, nil, nil)
  }
}

@MainActor
final class Monitor {
  var onChange: (@Sendable (Bool) -> Void)?
  var isOnline = false
}

@MainActor
final class QuoteFeed {
  func addListener(_ listener: @escaping @Sendable (Double) -> Void) -> SDKRequest {
    SDKRequest { _ in listener(17.5) }
  }

  func removeListener(_ token: SDKRequest) { token.cancel() }
  func subscribe(to name: String) async throws {}
}

@MainActor
final class PushService {
  func subscribe(
    to topic: String,
    handler: @escaping @Sendable (String) -> Void
  ) async throws -> SDKRequest {
    SDKRequest { _ in handler("\(topic): rain") }
  }

  func unsubscribe(_ token: SDKRequest) async { token.cancel() }
}

final class Radio: Sendable {
  func addListener(_ listener: @escaping @Sendable (String) -> Void) -> SDKRequest {
    SDKRequest { _ in listener("Waterloo") }
  }

  func removeListener(_ token: SDKRequest) { token.cancel() }
}
