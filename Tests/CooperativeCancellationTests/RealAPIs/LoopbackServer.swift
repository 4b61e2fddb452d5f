import FakeCallbackSDK
import Foundation

/// An HTTP server for one request, on the loopback interface.
final class LoopbackServer: Sendable {
  let url: URL
  let hasRequest = Signal()
  let connectionIsGone = Signal()

  /// - Parameter answer: the body of the response; with `nil` there is none until the client goes.
  init(answer: String?) throws {
    let (listener, port) = try LoopbackServer.listen()
    guard let url = URL(string: "http://127.0.0.1:\(port)/") else { throw POSIXError(.EINVAL) }
    self.url = url
    Thread.detachNewThread { [hasRequest, connectionIsGone] in
      let connection = accept(listener, nil, nil)
      close(listener)
      var bytes = [UInt8](repeating: 0, count: 4096)
      if recv(connection, &bytes, bytes.count, 0) > 0 { hasRequest.fire() }
      if let answer {
        let response = Array(
          """
          HTTP/1.1 200 OK\r
          Content-Length: \(answer.utf8.count)\r
          Connection: close\r
          \r
          \(answer)
          """.utf8
        )
        _ = send(connection, response, response.count, 0)
      } else {
        // Blocks until the client has closed its end.
        while recv(connection, &bytes, bytes.count, 0) > 0 {}
        connectionIsGone.fire()
      }
      close(connection)
    }
  }

  private static func listen() throws -> (Int32, UInt16) {
    #if canImport(Darwin)
      let listener = socket(AF_INET, SOCK_STREAM, 0)
    #else
      let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #endif
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(listener, address, length) == 0 && Foundation.listen(listener, 1) == 0
          && getsockname(listener, address, &length) == 0
      }
    }
    guard isListening else { throw POSIXError(.EADDRNOTAVAIL) }
    return (listener, UInt16(bigEndian: address.sin_port))
  }
}
