import CooperativeCancellation
import NIOCore
import NIOExtras
import NIOPosix

/// A SwiftNIO connection to a server that answers each line with a line.
struct LineClient: Sendable {
  private let channel: any Channel

  /// NIO cannot stop connecting, so a connection that arrives after a cancellation is closed.
  init(
    host: String,
    port: Int,
    bootstrap: ClientBootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
  ) async throws {
    channel = try await withAsyncThrowingValue {
      bootstrap.channelInitializer { $0.addLineHandlers() }
        .connect(host: host, port: port)
        .whenComplete($0)
    } onDiscard: {
      $0.close(promise: nil)
    }
  }

  /// A cancellation closes the channel, because the next call would receive the late answer.
  func answer(to line: String) async throws -> String {
    try await withAsyncThrowingValue {
      channel.request(line).whenComplete($0)
    } onCancel: {
      channel.close(promise: nil)
    }
  }

  func close() async throws {
    try await withAsyncThrowingValue { channel.close().whenComplete($0) }
  }
}

nonisolated extension Channel {
  fileprivate func addLineHandlers() -> EventLoopFuture<Void> {
    eventLoop.makeCompletedFuture {
      try pipeline.syncOperations.addHandlers(
        ByteToMessageHandler(LineBasedFrameDecoder()),
        RequestResponseHandler<ByteBuffer, ByteBuffer>()
      )
    }
  }

  fileprivate func request(_ line: String) -> EventLoopFuture<String> {
    let answer = eventLoop.makePromise(of: ByteBuffer.self)
    writeAndFlush((ByteBuffer(string: line + "\n"), answer)).cascadeFailure(to: answer)
    return answer.futureResult.map { String(buffer: $0) }
  }
}
