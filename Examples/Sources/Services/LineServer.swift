import CooperativeCancellation
import NIOCore
import NIOPosix
import PendingAnswers
import ServiceLifecycle
import TaskBags

/// A server that answers each line of its clients with a line.
///
/// The work of a request ends when its client is gone. On a graceful shutdown, the server accepts
/// no new client and no new line, lets the requests finish that are running, and then closes the
/// connections.
final class LineServer: Service {
  private let gracePeriod: Timeout
  private let answer: @Sendable (_ line: String) async throws -> String
  private let listening = PendingEvent<Int>()

  /// - Parameter gracePeriod: How long a shutdown waits for the requests before it cancels them.
  init(
    gracePeriod: Timeout,
    answer: @escaping @Sendable (_ line: String) async throws -> String
  ) {
    self.gracePeriod = gracePeriod
    self.answer = answer
  }

  /// Waits until the server is running.
  func port() async throws -> Int { try await listening.value() }

  func run() async throws {
    let (connections, requests) = (TaskBag(), TaskBag { _, _ in })
    let server = try await withAsyncThrowingValue { [answer] in
      ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .childChannelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandlers(
              ByteToMessageHandler(LineDecoder()),
              RequestHandler(channel, connections, requests, answer)
            )
          }
        }
        .bind(host: "127.0.0.1", port: 0)
        .whenComplete($0)
    } onDiscard: { server in
      server.close(promise: nil)
    }
    listening.close(returning: server.localAddress?.port ?? 0)

    // Ends with an error if the task is cancelled: then nothing is to finish.
    let isGraceful = (try? await gracefulShutdown()) != nil
    server.close(promise: nil)
    await requests.drain(cancellingAfter: isGraceful ? gracePeriod : .seconds(0))
    await connections.drain(cancellingAfter: .seconds(0))
  }
}

/// One connection. Its tasks have its identity as their id.
private nonisolated final class RequestHandler: ChannelInboundHandler, Sendable {
  typealias InboundIn = ByteBuffer

  private let channel: any Channel
  private let connections: TaskBag
  private let requests: TaskBag
  private let answer: @Sendable (String) async throws -> String

  init(
    _ channel: any Channel,
    _ connections: TaskBag,
    _ requests: TaskBag,
    _ answer: @escaping @Sendable (String) async throws -> String
  ) {
    self.channel = channel
    self.connections = connections
    self.requests = requests
    self.answer = answer
  }

  func channelActive(context: ChannelHandlerContext) {
    let isAccepted = connections.add(id: ObjectIdentifier(channel)) { [channel] in
      await waitForCancellation()
      channel.close(promise: nil)
    }
    if !isAccepted { context.close(promise: nil) }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let line = String(buffer: unwrapInboundIn(data))
    let id = ObjectIdentifier(channel)
    requests.add(id: id, ifTaken: .runAlongside) { [channel, answer] in
      let reply = try await answer(line)
      channel.writeAndFlush(ByteBuffer(string: reply + "\n"), promise: nil)
    }
  }

  /// The client is gone.
  func channelInactive(context: ChannelHandlerContext) {
    requests.cancel(id: ObjectIdentifier(channel))
    connections.cancel(id: ObjectIdentifier(channel))
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
