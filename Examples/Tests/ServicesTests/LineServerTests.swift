import CooperativeCancellation
import Foundation
import Logging
import NIOCore
import ServiceLifecycle
import Testing
import UnixSignals

@testable import Services

@Suite("SwiftNIO and ServiceLifecycle: a server", .watchdog) struct LineServerTests {
  @Test func `the work of a request ends when its client is gone`() async throws {
    let (hasBegun, isCancelled) = (Signal(), Signal())
    let server = LineServer(gracePeriod: .watchdog) { line in
      if line.hasSuffix("quick") { return line }
      hasBegun.fire()
      await waitForCancellation()
      isCancelled.fire()
      throw CancellationError()
    }
    try await withRunning(server) { port, _ in
      let client = try await MessageClient(host: "127.0.0.1", port: port)
      let other = try await MessageClient(host: "127.0.0.1", port: port)
      let reply = Task { try await client.reply(to: "slow") }
      await hasBegun.wait()
      try await client.close()
      await isCancelled.wait()
      await #expect(throws: ChannelError.self) { try await reply.value }
      #expect(try await other.reply(to: "quick") == "quick")
      try await other.close()
    }
  }

  @Test func `a graceful shutdown lets a request finish`() async throws {
    let (hasBegun, mayEnd) = (Signal(), Signal())
    let server = slowServer(hasBegun, mayEnd)
    try await withRunning(server) { port, group in
      let client = try await MessageClient(host: "127.0.0.1", port: port)
      let reply = Task { try await client.reply(to: "slow") }
      await hasBegun.wait()
      await group.triggerGracefulShutdown()
      // A new client is refused.
      while let late = try? await MessageClient(host: "127.0.0.1", port: port) {
        try await late.close()
      }
      mayEnd.fire()
      #expect(try await reply.value == "slow")
    }
  }

  @Test func `a termination signal lets a request finish`() async throws {
    let (hasBegun, mayEnd) = (Signal(), Signal())
    let server = slowServer(hasBegun, mayEnd)
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let group = ServiceGroup(
      services: [server],
      gracefulShutdownSignals: [.sigterm],
      logger: logger
    )
    async let end: Void = group.run()
    let client = try await MessageClient(host: "127.0.0.1", port: try await server.port())
    let reply = Task { try await client.reply(to: "slow") }
    await hasBegun.wait()
    kill(getpid(), SIGTERM)
    // The server accepts no new client.
    while let late = try? await MessageClient(host: "127.0.0.1", port: try await server.port()) {
      try await late.close()
    }
    mayEnd.fire()
    #expect(try await reply.value == "slow")
    try await end
  }

  @Test func `a request that takes too long is cancelled`() async throws {
    let (hasBegun, isCancelled) = (Signal(), Signal())
    let server = LineServer(gracePeriod: .seconds(0)) { _ in
      hasBegun.fire()
      await waitForCancellation()
      isCancelled.fire()
      throw CancellationError()
    }
    try await withRunning(server) { port, group in
      let client = try await MessageClient(host: "127.0.0.1", port: port)
      let reply = Task { try await client.reply(to: "slow") }
      await hasBegun.wait()
      await group.triggerGracefulShutdown()
      await isCancelled.wait()
      // The connection is closed without a reply.
      await #expect(throws: ChannelError.self) { try await reply.value }
    }
  }
}

/// A server whose requests end when the test says so, or, if they were cancelled by then, throw.
private func slowServer(_ hasBegun: Signal, _ mayEnd: Signal) -> LineServer {
  LineServer(gracePeriod: .watchdog) { line in
    hasBegun.fire()
    await mayEnd.wait()
    try checkpoint()
    return line
  }
}

/// Runs the server in a service group, as a program does, and shuts it down at the end.
private func withRunning(
  _ server: LineServer,
  _ body: (_ port: Int, _ group: ServiceGroup) async throws -> Void
) async throws {
  let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
  let group = ServiceGroup(services: [server], logger: logger)
  async let end: Void = group.run()
  try await body(try await server.port(), group)
  await group.triggerGracefulShutdown()
  try await end
}
