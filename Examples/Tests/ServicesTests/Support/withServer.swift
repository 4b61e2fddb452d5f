import NIOCore
import NIOPosix
import Testing

/// Runs a server on the loopback interface and a client that knows its port, until both are done.
///
/// - Parameter serve: Serves the first connection.
func withServer(
  _ serve: @escaping @Sendable (inout ServedConnection) async throws -> Void,
  client: (_ port: Int) async throws -> Void
) async throws {
  let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
    .bind(host: "127.0.0.1", port: 0) { channel in
      channel.eventLoop.makeCompletedFuture {
        try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
      }
    }
  let port = try #require(server.channel.localAddress?.port)
  try await withThrowingTaskGroup { group in
    group.addTask {
      try await server.executeThenClose { connections in
        for try await connection in connections {
          try await connection.executeThenClose { inbound, outbound in
            var served = ServedConnection(inbound: inbound, outbound: outbound)
            try await serve(&served)
          }
          return
        }
      }
    }
    try await client(port)
    try await group.waitForAll()
  }
}

/// The server's end of a connection.
struct ServedConnection {
  private var bytes: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
  private let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
  private var received = ""

  init(
    inbound: NIOAsyncChannelInboundStream<ByteBuffer>,
    outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
  ) {
    bytes = inbound.makeAsyncIterator()
    self.outbound = outbound
  }

  /// Receives until `end` has come, and returns all that came.
  mutating func receive(until end: String) async throws -> String {
    while !received.hasSuffix(end), let buffer = try await bytes.next(isolation: #isolation) {
      received += String(buffer: buffer)
    }
    defer { received = "" }
    return received
  }

  func send(_ text: String) async throws { try await outbound.write(ByteBuffer(string: text)) }

  /// Returns when the client has closed its end.
  mutating func waitUntilClosed() async {
    while (try? await bytes.next(isolation: #isolation)) != nil {}
  }
}
