// Sessions that must be closed after a success.

import CooperativeCancellation
import Dispatch
import PendingAnswers
import Synchronization

@MainActor
final class TagReader {
  private let scan = PendingCall<String>()

  func tag() async throws -> String {
    try await scan.value(whenCancelled: .waitForCallback) {
      let delegate = TagDelegate(scan)
      let session = TagSession(delegate: delegate)
      session.begin()
      return (session, delegate)
    } onCancel: { session, _ in
      session.invalidate()
    }
  }
}

nonisolated final class TagDelegate: TagSessionDelegate {
  private let scan: PendingCall<String>
  /// Only the session's queue uses it.
  private var tag: String?

  init(_ scan: PendingCall<String>) { self.scan = scan }

  func session(_ session: TagSession, didDetect tag: String) {
    self.tag = tag
    session.invalidate()
  }

  func session(_ session: TagSession, didInvalidateWith error: any Error) {
    if let tag { scan.resume(returning: tag) } else { scan.resume(throwing: error) }
  }
}

@MainActor
final class Services {
  func port(of service: Service) async throws -> Int {
    defer { service.stop() }
    let port = PendingCall<Int>()
    return try await port.value {
      let delegate = ServiceDelegate(port)
      service.delegate = delegate
      service.resolve()
      return delegate
    }
  }
}

nonisolated final class ServiceDelegate: NetServiceDelegate {
  private let port: PendingCall<Int>

  init(_ port: PendingCall<Int>) { self.port = port }

  func service(_ service: Service, didResolve port: Int) { self.port.resume(returning: port) }

  func service(_ service: Service, didNotResolve error: any Error) {
    port.resume(throwing: error)
  }
}

// MARK: - The SDKs

nonisolated protocol TagSessionDelegate: AnyObject {
  func session(_ session: TagSession, didDetect tag: String)
  func session(_ session: TagSession, didInvalidateWith error: any Error)
}

/// As the sessions of Core NFC, by Apple's pages of `NFCReaderSessionProtocol.invalidate()`,
/// `readerSession(_:didInvalidateWithError:)` and `readerSessionInvalidationErrorSystemIsBusy`:
/// there is one session at a time. After a tag it goes on until the app closes it. That the
/// delegate also learns of an end by the app is from AndyQ/NFCPassportReader#146.
nonisolated final class TagSession: @unchecked Sendable {
  /// Which of the checks that run at the same time have a session.
  private static let busy = Mutex<Set<ObjectIdentifier>>([])

  private weak var delegate: (any TagSessionDelegate)?
  private let check = ObjectIdentifier(SDKRequest.calls.get())
  private let closing = Once()
  private let hasDetected = Atomic(false)
  private let hasReported = Atomic(false)

  init(delegate: any TagSessionDelegate) { self.delegate = delegate }

  func begin() {
    guard Self.busy.withLock({ $0.insert(check).inserted }) else {
      delegate?.session(self, didInvalidateWith: SystemIsBusy())
      return
    }
    closing.begin(
      SDKRequest { [weak self] error in
        guard let self else { return }
        if error != nil || self.closing.hasEnded { return self.report(error ?? SessionClosed()) }
        self.hasDetected.store(true, ordering: .relaxed)
        self.delegate?.session(self, didDetect: "04:A2")
      }
    )
  }

  func invalidate() {
    // Before a tag, the check says when the session has ended.
    guard closing.end(), hasDetected.load(ordering: .relaxed) else { return }
    DispatchQueue.global().async { self.report(SessionClosed()) }
  }

  private func report(_ error: any Error) {
    closing.end()
    if hasReported.exchange(true, ordering: .relaxed) { return }
    _ = Self.busy.withLock { $0.remove(check) }
    delegate?.session(self, didInvalidateWith: error)
  }
}

struct SystemIsBusy: Error {}
struct SessionClosed: Error {}

nonisolated protocol NetServiceDelegate: AnyObject {
  func service(_ service: Service, didResolve port: Int)
  func service(_ service: Service, didNotResolve error: any Error)
}

/// As `NetService`, by Apple's pages of `resolve(withTimeout:)`, `netServiceDidResolveAddress(_:)`
/// and `stop()`: it goes on until it is stopped, or to its timeout, and reports each address that
/// it finds.
nonisolated final class Service: @unchecked Sendable {
  weak var delegate: (any NetServiceDelegate)?
  private let stopping = Once()

  func resolve() {
    stopping.begin(
      SDKRequest { [weak self] error in
        guard let self else { return }
        if let error { self.delegate?.service(self, didNotResolve: error) }
        for port in [631, 632] where error == nil && !self.stopping.hasEnded {
          self.delegate?.service(self, didResolve: port)
        }
      }
    )
  }

  func stop() { stopping.end() }
}
