import CooperativeCancellation
import NIOCore
import NIOPosix
import Testing

@testable import Services

@Suite("SwiftNIO: requests and replies by id", .watchdog) struct MessageClientTests {
  @Test func `replies find their requests, in whatever order they come`() async throws {
    try await withServer { connection in
      var numbers: [Substring: Substring] = [:]
      for line in try await connection.receive(lines: 3) {
        let parts = line.split(separator: " ")
        numbers[parts[1]] = parts[0]
      }
      for word in ["two", "three", "one"] {
        let number = try #require(numbers[Substring(word)])
        try await connection.send("\(number) to \(word)\n")
      }
      await connection.waitUntilClosed()
    } client: { port in
      let client = try await MessageClient(host: "127.0.0.1", port: port)
      async let one = client.reply(to: "one")
      async let two = client.reply(to: "two")
      async let three = client.reply(to: "three")
      #expect(try await [one, two, three] == ["to one", "to two", "to three"])
      #expect(client.count == 0)
      try await client.close()
    }
  }

  @Test
  func `a cancelled request is told to the server, and the connection goes on`() async throws {
    let hasAsked = Signal()
    try await withServer { connection in
      let first = try await connection.receive(lines: 1)
      #expect(first == ["1 slow"])
      hasAsked.fire()
      #expect(try await connection.receive(lines: 2) == ["cancel 1", "2 quick"])
      // The server had the answer already.
      try await connection.send("1 too late\n2 in time\n")
      await connection.waitUntilClosed()
    } client: { port in
      let unexpected = Lines()
      let client = try await MessageClient(host: "127.0.0.1", port: port) { unexpected.add($0) }
      let slow = Task { try await client.reply(to: "slow") }
      await hasAsked.wait()
      slow.cancel()
      await #expect(throws: CancellationError.self) { try await slow.value }
      #expect(try await client.reply(to: "quick") == "in time")
      #expect(unexpected.all == ["1 too late"])
      try await client.close()
    }
  }

  @Test func `a lost connection ends all that wait, and those that come later`() async throws {
    let count = 100
    try await withServer { connection in
      _ = try await connection.receive(lines: count)
    } client: { port in
      let client = try await MessageClient(host: "127.0.0.1", port: port)
      let ended = await withTaskGroup(of: Bool.self) { group in
        for number in 0..<count {
          group.addTask {
            do {
              _ = try await client.reply(to: "request \(number)")
              return false
            } catch {
              return error is ChannelError
            }
          }
        }
        return await group.reduce(0) { $1 ? $0 + 1 : $0 }
      }
      #expect(ended == count)
      #expect(client.count == 0)
      await #expect(throws: ChannelError.self) { try await client.reply(to: "later") }
    }
  }

  @Test func `a connection that is made after the cancellation is closed`() async throws {
    try await withServer { connection in
      await connection.waitUntilClosed()
    } client: { port in
      let resolver = HeldResolver()
      let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .resolver(resolver)
      let task = Task {
        try await MessageClient(host: "localhost", port: port, bootstrap: bootstrap)
      }
      await resolver.isAsked.wait()
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      resolver.answer(with: try SocketAddress(ipAddress: "127.0.0.1", port: port))
    }
  }
}

/// Lines that came on the event loop.
private final class Lines: Sendable {
  private let lines = Protected<[String]>([])

  var all: [String] { lines.withLock { $0 } }

  func add(_ line: String) { lines.withLock { $0.append(line) } }
}

extension ServedConnection {
  /// Receives that many lines, which may come in one piece or in many.
  fileprivate mutating func receive(lines count: Int) async throws -> [String] {
    var lines: [String] = []
    while lines.count < count {
      let text = try await receive(until: "\n")
      if text.isEmpty { break }
      lines += text.split(separator: "\n").map(String.init)
    }
    return lines
  }
}

/// A name server that answers when the test says so.
private final class HeldResolver: Resolver, Sendable {
  let isAsked = Signal()
  private let addresses: EventLoopPromise<[SocketAddress]>

  init() { addresses = MultiThreadedEventLoopGroup.singleton.any().makePromise() }

  func answer(with address: SocketAddress) { addresses.succeed([address]) }

  func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
    isAsked.fire()
    return addresses.futureResult
  }

  func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
    addresses.futureResult.map { _ in [] }
  }

  func cancelQueries() {}
}
