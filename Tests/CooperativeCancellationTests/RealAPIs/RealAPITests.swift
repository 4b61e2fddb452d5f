import CooperativeCancellation
import Dispatch
import FakeCallbackSDK
import Foundation
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// APIs from other people, each wrapped in one expression.
@Suite("Real callback APIs", .watchdog)
struct RealAPITests {
  private func dataTask(_ url: URL) async throws -> (Data, URLResponse) {
    try await withAsyncThrowingValue { completion in
      // Longer than a minute: the other tests may keep the threads of the pool that long. Not an argument of the
      // `init`, which Foundation ignores on Linux.
      var request = URLRequest(url: url)
      request.timeoutInterval = 3600
      let task = URLSession.shared.dataTask(with: request, completionHandler: completion)
      task.resume()
      return task
    } onCancel: {
      $0.cancel()
    }
  }

  @Test
  func `URLSession, three arguments`() async throws {
    let server = try LoopbackServer(answer: "hello")
    let (data, response) = try await dataTask(server.url)
    #expect(String(decoding: data, as: UTF8.self) == "hello")
    #expect((response as? HTTPURLResponse)?.statusCode == 200)
  }

  @Test
  func `URLSession, cancelled: the server sees the connection close`() async throws {
    let server = try LoopbackServer(answer: nil)
    let task = Task { try await dataTask(server.url) }
    await server.hasRequest.wait()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    await server.connectionIsGone.wait()
  }

  @Test
  func `a file read through DispatchIO`() async throws {
    let file = try #require(FileHandle(forReadingAtPath: #filePath))
    let count = try await withAsyncThrowingValue { completion in
      DispatchIO.read(
        fromFileDescriptor: file.fileDescriptor,
        maxLength: 10,
        runningHandlerOn: .global()
      ) { data, error in
        completion(error == 0 ? .success(data.count) : .failure(POSIXError(.EIO)))
      }
    }
    #expect(count == 10)
  }

  @Test @MainActor
  func `a timer on the main run loop`() async {
    await withAsyncValue(fallback: ()) { completion in
      let timer = Timer(timeInterval: 0, repeats: false) { _ in completion() }
      timer.fire()
      return timer
    } onCancel: {
      $0.invalidate()
    }
  }
}
