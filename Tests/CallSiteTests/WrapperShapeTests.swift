// Wrappers around delegates, and on the main actor: the code of the page "Test your wrapper".

import CooperativeCancellation
import CooperativeCancellationTesting
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

  init(scanner: sending any Scanner) { self.scanner = scanner }

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

  init(scans: FakeCall<ScanReceiver>) { self.scans = scans }

  func start(_ receiver: ScanReceiver) { scan = scans.record(weakly: receiver) }
  func stop() { scan?.cancel() }
}

// MARK: Tests

@Suite("Wrappers of other shapes", .watchdog) struct WrapperShapeTests {
  @Test func `a delegate`() async throws {
    #expect(try await Scans(scanner: OldScanner()).scan() == "Ulm")
    try await checkWrapper(except: [.droppedCompletion]) { scans in
      try await Scans(scanner: FakeScanner(scans: scans)).scan()
    } success: { receiver in
      receiver.didFind("Ulm")
    }
  }

  @Test func `a delegate that nothing keeps`() async {
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
    #expect(error?.description.contains("return a delegate that the SDK holds weakly") == true)
  }

  @Test func `a wrapper on the main actor, called twice at the same time`() async throws {
    try await checkWrapper { @MainActor loads in
      let articles = await loads.wrapper { Articles(sdk: FakeArticleSDK(loads: loads)) }
      return try await articles.article(1)
    } success: { completion in
      completion(.success(Article(title: "Sea")))
    }
  }
}
