import CooperativeCancellation
import NIOCore

extension Channel {
  /// The messages at the end of the pipeline. An error in the pipeline is thrown.
  ///
  /// Make the channel with `autoRead` off, so that nothing arrives before there is a reader: the first
  /// `next()` turns it on. NIO then reads as fast as the other side sends, so bound the buffer unless the
  /// protocol does. Leaving the loop closes the channel.
  func messages<Message: Sendable>(
    of type: Message.Type = Message.self
  ) -> AsyncThrowingCallbackSequence<Message> {
    AsyncThrowingCallbackSequence(buffering: .unbounded) { yield, finish in
      let handler = MessageHandler(yield: yield, finish: finish)
      self.pipeline.addHandler(handler)
        .flatMap { self.setOption(.autoRead, value: true) }
        .whenFailure(finish)
    } onTermination: {
      self.close(promise: nil)
    }
  }
}

private nonisolated final class MessageHandler<Message: Sendable>: ChannelInboundHandler, Sendable {
  typealias InboundIn = Message

  private let yield: @Sendable (Message) -> Void
  private let finish: @Sendable ((any Error)?) -> Void

  init(
    yield: @escaping @Sendable (Message) -> Void,
    finish: @escaping @Sendable ((any Error)?) -> Void
  ) {
    self.yield = yield
    self.finish = finish
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    yield(unwrapInboundIn(data))
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    finish(error)
  }

  func channelInactive(context: ChannelHandlerContext) {
    finish(nil)
  }
}
