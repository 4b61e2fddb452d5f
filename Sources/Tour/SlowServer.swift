import Foundation

/// A local HTTP server that answers one request in twenty pieces over a second, and notes how the
/// connection ended.
struct SlowServer {
  let url: URL

  init(noting timeline: Timeline) throws {
    signal(SIGPIPE, SIG_IGN)  // A closed connection must not end the process.
    let listener = socket(AF_INET, 1, 0)  // `SOCK_STREAM`, which has another type on each platform.
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    // Safe: a `sockaddr_in` begins like a `sockaddr` and is as large; the calls do not keep the
    // pointer.
    let isListening = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(listener, address, length) == 0 && listen(listener, 1) == 0
          && getsockname(listener, address, &length) == 0
      }
    }
    guard isListening,
      let url = URL(string: "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))/")
    else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    self.url = url
    Thread.detachNewThread {
      let connection = accept(listener, nil, nil)
      close(listener)
      timeline.note(SlowServer.answer(connection))
      close(connection)
    }
  }

  private static func answer(_ connection: Int32) -> String {
    var request = [UInt8](repeating: 0, count: 4096)
    guard recv(connection, &request, request.count, 0) > 0 else { return "server: no request" }
    let piece = [UInt8](repeating: 0x2E, count: 10_000)
    let head = "HTTP/1.1 200 OK\r\nContent-Length: \(20 * piece.count)\r\nConnection: close\r\n\r\n"
    for (number, bytes) in ([Array(head.utf8)] + Array(repeating: piece, count: 20)).enumerated() {
      Thread.sleep(forTimeInterval: number == 0 ? 0 : 0.05)
      guard send(connection, bytes, bytes.count, 0) == bytes.count else {
        return "server: connection gone, \(number - 1) of 20 sent"
      }
    }
    return "server: all 20 pieces sent"
  }
}
