import CooperativeCancellation
import NIOCore
import NIOPosix
import Testing

@testable import Services

@Suite("SwiftNIO: a channel's inbound messages", .watchdog)
struct ChannelMessagesTests {
  @Test
  func `each message comes, and the end when the other side closes`() async throws {
    try await withServer { connection in
      try await connection.send("ping")
    } client: { port in
      let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .channelOption(.autoRead, value: false)
        .connect(host: "127.0.0.1", port: port).get()
      var text = ""
      for try await bytes in channel.messages(of: ByteBuffer.self) {
        text += String(buffer: bytes)
      }
      #expect(text == "ping")
    }
  }

  @Test
  func `cancelling the reader closes the channel`() async throws {
    let isRead = Signal()
    try await withServer { connection in
      try await connection.send("ping")
      await isRead.wait()
      await connection.waitUntilClosed()
    } client: { port in
      let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .channelOption(.autoRead, value: false)
        .connect(host: "127.0.0.1", port: port).get()
      let task = Task {
        for try await _ in channel.messages(of: ByteBuffer.self) { isRead.fire() }
      }
      await isRead.wait()
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      try await channel.closeFuture.get()
    }
  }
}
