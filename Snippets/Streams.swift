// The code of "Streams for others to read".

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
      monitor.onChange = yield
      var isOnline: Bool
      repeat {
        isOnline = monitor.isOnline
        yield(isOnline)
      } while isOnline != monitor.isOnline
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
final class Pushes {
  private let service = PushService()

  func pushes(about topic: String) async throws -> AsyncCallbackSequence<String>.Iterator {
    var handler: (@Sendable (String) -> Void)?
    var token: Int?
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

protocol Player: Sendable {
  var songs: AsyncStream<String> { get async }
  var stations: AsyncStream<String> { get }
}

actor RadioPlayer: Player {
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

@main
@MainActor
enum Streams {
  static func main() async throws {
    let socket = Socket()
    let chat = Chat(socket)
    let readers = (1...2).map { number in
      Task {
        for try await message in chat.messages { print("reader \(number):", message) }
      }
    }
    while socket.onMessage == nil { await Task.yield() }
    socket.onMessage?("hello")
    socket.onClose?(nil)
    for reader in readers { try await reader.value }

    let monitor = Monitor()
    let network = Network(monitor)
    let first = Task { for await isOnline in network.isOnline { print("online:", isOnline) } }
    while monitor.onChange == nil { await Task.yield() }
    monitor.isOnline = true
    monitor.onChange?(true)
    await printFirst("a later reader: online", of: network.isOnline)
    first.cancel()

    let importer = Importer()
    let reading = Task {
      for await progress in importer.progress { print("progress:", progress) }
    }
    // A new reader begins with the latest progress, so it does not matter who begins.
    await importer.run()
    await reading.value
    for await progress in importer.progress { print("a later reader: progress:", progress) }

    await printFirst("quote", of: try await Quotes().quotes(for: "SWFT"))
    await printFirst("push", of: try await Pushes().pushes(about: "weather"))
    let player: some Player = RadioPlayer()
    await printFirst("song", of: await player.songs)
    await printFirst("station", of: player.stations)
  }

  static func printFirst(_ name: String, of elements: some AsyncSequence<some Any, Never>) async {
    for await element in elements {
      print("\(name):", element)
      break
    }
  }
}

// The SDKs.

@MainActor
final class Socket {
  var onMessage: (@Sendable (String) -> Void)?
  var onClose: (@Sendable ((any Error)?) -> Void)?

  func open() throws {}

  func close() {
    onMessage = nil
    onClose = nil
  }
}

@MainActor
final class Monitor {
  var onChange: (@Sendable (Bool) -> Void)?
  var isOnline = false
}

@MainActor
final class QuoteFeed {
  private var listeners: [Int: @Sendable (Double) -> Void] = [:]

  func addListener(_ listener: @escaping @Sendable (Double) -> Void) -> Int {
    listeners[listeners.count] = listener
    return listeners.count - 1
  }

  func removeListener(_ token: Int) { listeners[token] = nil }

  func subscribe(to name: String) async throws {
    for listener in listeners.values { listener(17.5) }
  }
}

@MainActor
final class PushService {
  func subscribe(
    to topic: String,
    handler: @escaping @Sendable (String) -> Void
  ) async throws -> Int {
    handler("\(topic): rain")
    return 1
  }

  func unsubscribe(_ token: Int) async {}
}

final class Radio: Sendable {
  func addListener(_ listener: @escaping @Sendable (String) -> Void) -> Int {
    listener("Waterloo")
    return 1
  }

  func removeListener(_ token: Int) {}
}
