import Foundation
import Testing

@testable import Services

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("URLSession", .watchdog) struct TransfersTests {
  private let transfers = Transfers()
  private let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)

  @Test func `a response comes back`() async throws {
    try await withServer { connection in
      _ = try await connection.receive(until: "\r\n\r\n")
      try await connection.send("HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\nok")
    } client: { port in
      let (data, response) = try await transfers.data(from: try url(port))
      #expect(String(decoding: data, as: UTF8.self) == "ok")
      #expect((response as? HTTPURLResponse)?.statusCode == 201)
    }
  }

  @Test func `cancelling while the body trickles in closes the connection`() async throws {
    let hasBegun = Signal()
    try await withServer { connection in
      _ = try await connection.receive(until: "\r\n\r\n")
      try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nfirst")
      hasBegun.fire()
      await connection.waitUntilClosed()
    } client: { port in
      let url = try url(port)
      let task = Task { try await transfers.data(from: url) }
      await hasBegun.wait()
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
    }
  }

  @Test func `a download reports its progress`() async throws {
    let isHalfway = Signal()
    try await withServer { connection in
      _ = try await connection.receive(until: "\r\n\r\n")
      try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nfirst")
      await isHalfway.wait()
      try await connection.send("other")
    } client: { port in
      try await transfers.download(try url(port), to: file) { _ in isHalfway.fire() }
    }
    #expect(try String(contentsOf: file, encoding: .utf8) == "firstother")
    try FileManager.default.removeItem(at: file)
  }

  @Test
  func `cancelling a download halfway closes the connection, and leaves no file`() async throws {
    let isHalfway = Signal()
    try await withServer { connection in
      _ = try await connection.receive(until: "\r\n\r\n")
      try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nfirst")
      await connection.waitUntilClosed()
    } client: { port in
      let url = try url(port)
      let task = Task {
        try await transfers.download(url, to: file) { _ in isHalfway.fire() }
      }
      await isHalfway.wait()
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
    }
    #expect(!FileManager.default.fileExists(atPath: file.path))
  }

  @Test
  func `cancelling as a download ends leaves the file, or an error and no file`() async throws {
    let isComplete = Signal()
    try await withServer { connection in
      _ = try await connection.receive(until: "\r\n\r\n")
      try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwhole")
      await connection.waitUntilClosed()
    } client: { port in
      let url = try url(port)
      let task = Task { try await transfers.download(url, to: file) { _ in isComplete.fire() } }
      await isComplete.wait()
      task.cancel()
      let isDownloaded = (try? await task.value) != nil
      #expect(FileManager.default.fileExists(atPath: file.path) == isDownloaded)
    }
    try? FileManager.default.removeItem(at: file)
  }

  private func url(_ port: Int) throws -> URL {
    try #require(URL(string: "http://127.0.0.1:\(port)/"))
  }
}
