import CooperativeCancellation
import NIOCore
import NIOPosix
import PendingAnswers
import Synchronization

/// One SwiftNIO connection for many concurrent requests.
///
/// Each line begins with the number of its request, `7 hello`, and so does its reply. Replies
/// arrive in any order. The line `cancel 7` tells the server to stop working on the seventh.
final class MessageClient: Sendable {
  private let channel: any Channel
  private let replies: PendingCalls<Int, String>
  private let lastNumber = Atomic(0)

  /// NIO cannot stop connecting, so a connection that arrives after a cancellation is closed.
  ///
  /// - Parameter onUnexpected: Receives each line that answers no request which waits: its request
  ///   was cancelled, or answered before. Runs on the event loop.
  init(
    host: String,
    port: Int,
    bootstrap: ClientBootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton),
    onUnexpected: @escaping @Sendable (_ line: String) -> Void = { _ in }
  ) async throws {
    let replies = PendingCalls<Int, String>()
    channel = try await withAsyncThrowingValue {
      bootstrap.channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandlers(
            ByteToMessageHandler(LineDecoder()),
            ReplyHandler(replies, onUnexpected)
          )
        }
      }
      .connect(host: host, port: port)
      .whenComplete($0)
    } onDiscard: {
      $0.close(promise: nil)
    }
    self.replies = replies
  }

  /// How many requests wait.
  var count: Int { replies.count }

  /// A cancel or a timeout ends this request; the others and the connection go on.
  func reply(to text: String, timeout: Timeout? = nil) async throws -> String {
    let number = lastNumber.add(1, ordering: .relaxed).newValue
    return try await replies.value(for: number, timeout: timeout) {
      // A line that cannot be written has no reply.
      channel.writeLine("\(number) \(text)").whenFailure { [replies] error in
        replies.resume(number, throwing: error)
      }
    } onCancel: {
      _ = channel.writeLine("cancel \(number)")
    }
  }

  func close() async throws {
    try await withAsyncThrowingValue { channel.close().whenComplete($0) }
  }
}

nonisolated extension Channel {
  fileprivate func writeLine(_ line: String) -> EventLoopFuture<Void> {
    writeAndFlush(ByteBuffer(string: line + "\n"))
  }
}

/// Cuts what arrives into lines.
nonisolated struct LineDecoder: ByteToMessageDecoder {
  typealias InboundOut = ByteBuffer

  func decode(
    context: ChannelHandlerContext,
    buffer: inout ByteBuffer
  ) throws -> DecodingState {
    let length = buffer.readableBytesView.prefix { $0 != UInt8(ascii: "\n") }.count
    guard length < buffer.readableBytes, let line = buffer.readSlice(length: length) else {
      return .needMoreData
    }
    buffer.moveReaderIndex(forwardBy: 1)
    context.fireChannelRead(wrapInboundOut(line))
    return .continue
  }
}

/// Brings each line to the request that waits for it, and ends all that wait when the connection
/// ends.
private nonisolated final class ReplyHandler: ChannelInboundHandler, Sendable {
  typealias InboundIn = ByteBuffer

  private let replies: PendingCalls<Int, String>
  private let onUnexpected: @Sendable (String) -> Void

  init(_ replies: PendingCalls<Int, String>, _ onUnexpected: @escaping @Sendable (String) -> Void) {
    self.replies = replies
    self.onUnexpected = onUnexpected
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let line = String(buffer: unwrapInboundIn(data))
    let parts = line.split(separator: " ", maxSplits: 1)
    guard parts.count == 2, let number = Int(parts[0]),
      replies.tryResume(number, returning: String(parts[1]))
    else { return onUnexpected(line) }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    replies.close(throwing: error)
    context.close(promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) { replies.close(throwing: ChannelError.eof) }
}
