import CooperativeCancellation
import NIOCore

extension Channel {
  /// What comes out of the end of the pipeline, until the channel closes. An error in the pipeline is thrown.
  ///
  /// The channel is made with `autoRead` off, so that nothing comes before there is a reader: the first `next()` turns it
  /// on. Leaving the loop closes the channel. From then on NIO reads as fast as the other side sends; where that is
  /// not bounded by questions and answers, bound it.
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
