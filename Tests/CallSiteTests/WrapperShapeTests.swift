// Wrappers around requests that come late, C, ids, and listeners: the code of the page "Test your wrapper".

import CooperativeCancellation
import CooperativeCancellationTesting
import FakeCallbackSDK
@preconcurrency import OldSDK
import Testing

// MARK: A delegate whose protocol is not Sendable, and values that a test cannot make

protocol Scanner: AnyObject {
  func start(_ receiver: ScanReceiver)
  func stop()
}

/// The delegate, without the SDK's types.
final class ScanReceiver: Sendable {
  private let completion: @Sendable (Result<String, any Error>) -> Void

  init(_ completion: @escaping @Sendable (Result<String, any Error>) -> Void) {
    self.completion = completion
  }

  func didFind(_ text: String) { completion(.success(text)) }
}

actor Scans {
  private let scanner: any Scanner

  init(scanner: sending any Scanner) {
    self.scanner = scanner
  }

  func scan() async throws -> String {
    try await withAsyncThrowingValue { completion in
      let receiver = ScanReceiver(completion)
      scanner.start(receiver)
      return receiver
    } onCancel: { _ in
      scanner.stop()
    }
  }
}

extension OldScanner: Scanner {
  func start(_ receiver: ScanReceiver) {
    delegate = receiver
    start()
  }
}

extension ScanReceiver: OldScannerDelegate {
  func scanner(_ scanner: OldScanner, didFind scan: OldScan) { didFind(scan.text) }
}

final class FakeScanner: Scanner {
  private let scans: FakeCall<ScanReceiver>
  private var scan: FakeCall<ScanReceiver>.Request?

  init(scans: FakeCall<ScanReceiver>) {
    self.scans = scans
  }

  func start(_ receiver: ScanReceiver) { scan = scans.record(weakly: receiver) }
  func stop() { scan?.cancel() }
}

// MARK: A request that arrives in a callback

protocol UploadSDK {
  typealias Completion = @Sendable (Result<Int, any Error>) -> Void

  func upload(
    taskHandler: @escaping @Sendable (any ArticleRequest & Sendable) -> Void,
    completion: @escaping Completion
  )
}

struct Uploads {
  let sdk: any UploadSDK

  func upload() async throws -> Int {
    try await withAsyncThrowingValue { completion in
      LateRequest(cancel: { $0.cancel() }) { arrived in
        sdk.upload(taskHandler: arrived, completion: completion)
      }
    } onCancel: {
      $0.cancel()
    }
  }
}

struct FakeUploadSDK: UploadSDK {
  let uploads: FakeCall<Completion>

  func upload(
    taskHandler: @escaping @Sendable (any ArticleRequest & Sendable) -> Void,
    completion: @escaping Completion
  ) {
    uploads.record(completion).deliver { taskHandler($0) }
  }
}

// MARK: C

struct WeatherLibrary: Sendable {
  typealias Callback = @convention(c) (UnsafeMutableRawPointer?, Int32, Double) -> Void

  var fetch: @Sendable (Callback, UnsafeMutableRawPointer) -> Int32
  var cancel: @Sendable () -> Void
}

struct WeatherError: Error {
  let status: Int32
}

struct Forecast {
  let library: WeatherLibrary

  func degrees() async throws -> Double {
    try await withAsyncThrowingValue { completion in
      let context = CallbackContext { (status: Int32, degrees: Double) in
        completion(status == 0 ? .success(degrees) : .failure(WeatherError(status: status)))
      }
      let status = library.fetch({ @Sendable in CallbackContext.call($0, $1, $2) }, context.pointer)
      guard status == 0 else { throw WeatherError(status: status) }
      return context
    } onCancel: { _ in
      library.cancel()
    }
  }
}

extension WeatherLibrary {
  static func fake(_ fetches: FakeCall<@Sendable (Int32, Double) -> Void>) -> WeatherLibrary {
    WeatherLibrary { callback, context in
      let context = UInt(bitPattern: context)
      fetches.record { status, degrees in
        callback(UnsafeMutableRawPointer(bitPattern: context), status, degrees)
      }
      return 0
    } cancel: {
      fetches[1]?.cancel()
    }
  }
}

struct NoReading: Error {}

// MARK: Ids

protocol Connection: Sendable {
  func nextID() -> Int
  func write(_ id: Int, _ text: String)
  func onMessage(_ handler: @escaping @Sendable (Int, Result<String, any Error>) -> Void)
}

final class Answers: Sendable {
  private let connection: any Connection
  private let replies = PendingCalls<Int, String>()

  init(_ connection: any Connection) {
    self.connection = connection
    connection.onMessage { [replies] id, answer in replies.resume(id, with: answer) }
  }

  func ask(_ question: String) async throws -> String {
    let id = connection.nextID()
    return try await replies.value(for: id) {
      connection.write(id, question)
    } onCancel: {
      connection.write(id, "cancel")
    }
  }
}

struct FakeConnection: Connection {
  typealias Handler = @Sendable (Int, Result<String, any Error>) -> Void

  let writes: FakeCall<@Sendable (Result<String, any Error>) -> Void>
  private let handler = Protected<Handler>({ _, _ in })

  init(writes: FakeCall<@Sendable (Result<String, any Error>) -> Void>) {
    self.writes = writes
  }

  func onMessage(_ handler: @escaping Handler) {
    self.handler.withLock { $0 = handler }
  }

  func nextID() -> Int { writes.callCount + 1 }

  func write(_ id: Int, _ text: String) {
    if text == "cancel" {
      writes[id]?.cancel()
    } else {
      let handler = handler.withLock { $0 }
      writes.record { handler(id, $0) }
    }
  }
}

// MARK: Tests

@Suite("Wrappers of other shapes", .watchdog)
struct WrapperShapeTests {
  @Test
  func `a delegate`() async throws {
    #expect(try await Scans(scanner: OldScanner()).scan() == "Ulm")
    // snippet.checkScans
    try await checkWrapper(except: [.droppedCompletion]) { scans in
      try await Scans(scanner: FakeScanner(scans: scans)).scan()
    } success: { receiver in
      receiver.didFind("Ulm")
    }
  }

  @Test
  func `a delegate that nothing keeps`() async {
    let error = await #expect(throws: BrokenGuarantees.self) {
      try await checkWrapper(except: [.droppedCompletion]) { (scans: FakeCall<ScanReceiver>) in
        try await withAsyncThrowingValue {
          (completion: @escaping @Sendable (Result<String, any Error>) -> Void) in
          FakeScanner(scans: scans).start(ScanReceiver(completion))
        }
      } success: { receiver in
        receiver.didFind("Ulm")
      }
    }
    #expect(error?.description.contains("– answer: it threw “The completion made at") == true)
    #expect(error?.description.contains("Return a delegate that the SDK holds weakly") == true)
  }

  @Test
  func `a request that arrives in a callback`() async throws {
    try await checkWrapper { uploads in
      try await Uploads(sdk: FakeUploadSDK(uploads: uploads)).upload()
    } success: { completion in
      completion(.success(1))
    } failure: { completion in
      completion(.failure(ServerError()))
    }
  }

  @Test
  func `a C library`() async throws {
    // snippet.checkC
    try await checkWrapper(except: [.droppedCompletion]) { fetches in
      try await Forecast(library: .fake(fetches)).degrees()
    } success: { callback in
      callback(0, 21)
    } failure: { callback in
      callback(7, 0)
    }
  }

  @Test
  func `answers by id`() async throws {
    try await checkWrapper(except: [.droppedCompletion]) { writes in
      let answers = await writes.wrapper { Answers(FakeConnection(writes: writes)) }
      return try await answers.ask("How late is it?")
    } success: { reply in
      reply(.success("7"))
    } failure: { reply in
      reply(.failure(ServerError()))
    }
  }

  @Test
  func `a wrapper on the main actor, called twice at the same time`() async throws {
    try await checkWrapper { @MainActor loads in
      let articles = await loads.wrapper { Articles(sdk: FakeArticleSDK(loads: loads)) }
      return try await articles.article(1)
    } success: { completion in
      completion(.success(Article(title: "Sea")))
    }
  }

  @Test
  func `the first element of a sequence`() async throws {
    try await checkWrapper(alwaysUnregisters: true) { @MainActor listeners in
      let weather = Weather(thermometer: FakeThermometer(listeners: listeners))
      for await degrees in weather.degrees() { return degrees }
      try Task.checkCancellation()
      throw NoReading()
    } success: { listener in
      listener(31)
    }
  }
}
