import AsyncHTTPClient
import Foundation
import NIOCore
import Testing

@testable import Services

@Suite("AsyncHTTPClient", .watchdog)
struct WebClientTests {
  private let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)

  @Test
  func `a response comes back, and the client shuts down`() async throws {
    let web = WebClient(client: HTTPClient())
    try await withServer { connection in
      _ = try await connection.receive(until: "\r\n\r\n")
      try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
    } client: { port in
      let response = try await web.get("http://127.0.0.1:\(port)/")
      #expect(response.body.map { String(buffer: $0) } == "hello")
    }
    try await web.shutDown()
    await #expect(throws: HTTPClientError.alreadyShutdown) { try await web.shutDown() }
  }

  @Test
  func `a download reports its progress`() async throws {
    let isHalfway = Signal()
    try await withServer { connection in
      _ = try await connection.receive(until: "\r\n\r\n")
      try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nfirst")
      await isHalfway.wait()
      try await connection.send("other")
    } client: { port in
      let web = WebClient(client: .shared)
      try await web.download("http://127.0.0.1:\(port)/", to: file.path) { _ in isHalfway.fire() }
    }
    #expect(try String(contentsOf: file, encoding: .utf8) == "firstother")
    try FileManager.default.removeItem(at: file)
  }

  @Test
  func `cancelling a download halfway closes the connection`() async throws {
    let isHalfway = Signal()
    try await withServer { connection in
      _ = try await connection.receive(until: "\r\n\r\n")
      try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nfirst")
      await connection.waitUntilClosed()
    } client: { port in
      let web = WebClient(client: .shared)
      let task = Task {
        try await web.download("http://127.0.0.1:\(port)/", to: file.path) { _ in isHalfway.fire() }
      }
      await isHalfway.wait()
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
    }
    try? FileManager.default.removeItem(at: file)
  }
}
