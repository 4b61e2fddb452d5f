import NIOCore
import NIOPosix
import Testing

@testable import Services

@Suite("SwiftNIO: a future", .watchdog)
struct LineClientTests {
  @Test
  func `a line is answered, until the client hangs up`() async throws {
    try await withServer { connection in
      #expect(try await connection.receive(until: "\n") == "ping\n")
      try await connection.send("pong\n")
      await connection.waitUntilClosed()
    } client: { port in
      let client = try await LineClient(host: "127.0.0.1", port: port)
      #expect(try await client.answer(to: "ping") == "pong")
      try await client.close()
    }
  }

  @Test
  func `cancelling the wait for an answer closes the channel`() async throws {
    let hasAsked = Signal()
    try await withServer { connection in
      _ = try await connection.receive(until: "\n")
      hasAsked.fire()
      await connection.waitUntilClosed()
    } client: { port in
      let client = try await LineClient(host: "127.0.0.1", port: port)
      let task = Task { try await client.answer(to: "ping") }
      await hasAsked.wait()
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
    }
  }

  @Test
  func `a connection that is made after the cancel is closed`() async throws {
    try await withServer { connection in
      await connection.waitUntilClosed()
    } client: { port in
      let resolver = HeldResolver()
      let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .resolver(resolver)
      let task = Task {
        try await LineClient(host: "localhost", port: port, bootstrap: bootstrap)
      }
      await resolver.isAsked.wait()
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      resolver.answer(with: try SocketAddress(ipAddress: "127.0.0.1", port: port))
    }
  }
}

/// A name server that answers when the test says so.
private final class HeldResolver: Resolver, Sendable {
  let isAsked = Signal()
  private let addresses: EventLoopPromise<[SocketAddress]>

  init() {
    addresses = MultiThreadedEventLoopGroup.singleton.any().makePromise()
  }

  func answer(with address: SocketAddress) {
    addresses.succeed([address])
  }

  func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
    isAsked.fire()
    return addresses.futureResult
  }

  func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
    addresses.futureResult.map { _ in [] }
  }

  func cancelQueries() {}
}
