// The code of the page "Repeated callbacks".
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CCallbacks
import CallbackSequences
import CooperativeCancellation
import Dispatch
import Foundation

@MainActor
final class Dashboard {
  private let manager = LocationManager()
  private let player = Player()
  private let drive = DriveSDK()
  private let feed = Feed()

  func locations() -> AsyncCallbackSequence<Location> {
    AsyncCallbackSequence(buffering: .newest(1)) { [manager] yield in
      manager.addListener(yield)
    } onTermination: { [manager] token in
      manager.removeListener(token)
    }
  }

  func scans() -> AsyncThrowingCallbackSequence<String> {
    AsyncThrowingCallbackSequence(buffering: .unbounded) { yield, finish in
      let scanner = Scanner()
      let delegate = ScannerDelegate(onCode: yield, onEnd: finish)
      scanner.delegate = delegate
      scanner.start()
      return (scanner, delegate)
    } onTermination: { scanner, _ in
      scanner.stop()
    }
  }

  func timeZoneChanges() -> AsyncCallbackSequence<Void> {
    AsyncCallbackSequence(buffering: .newest(1)) { yield in
      NotificationCenter.default.addObserver(
        forName: .NSSystemTimeZoneDidChange,
        object: nil,
        queue: nil
      ) { @Sendable _ in yield() }
    } onTermination: { observer in
      NotificationCenter.default.removeObserver(observer)
    }
  }

  func waitForTimeZoneChange() async throws {
    for await _ in timeZoneChanges() { return }
    try checkpoint()
  }

  func waitBrieflyForTimeZoneChange() async throws {
    try await withAbandonableTask(timeout: .seconds(60)) { try await self.waitForTimeZoneChange() }
  }

  func scores() -> AsyncThrowingCallbackSequence<Int> {
    AsyncThrowingCallbackSequence(buffering: .newest(1)) { [feed] yield in
      feed.observeScore(yield)
    } onTermination: { observation in
      observation.invalidate()
    }
  }

  func files() -> AsyncCallbackSequence<String> {
    AsyncCallbackSequence(buffering: .oldest(100)) { [drive] yield in
      drive.scan(yield)
    } onTermination: { scan in
      scan.stop()
    }
  }

  func copy(_ file: String, to store: Store) async throws {
    let chunks = AsyncThrowingCallbackSequence(buffering: .unbounded) { [drive] yield, finish in
      drive.load(file, onEnd: finish) { @Sendable transfer, chunk in
        transfer.suspend()
        yield((transfer, chunk))
      }
    } onTermination: {
      $0.cancel()
    }
    for try await (transfer, chunk) in chunks {
      await store.append(chunk)
      transfer.resume()
    }
  }

  func upload(_ file: String) -> AsyncThrowingCallbackSequence<UploadStep> {
    AsyncThrowingCallbackSequence(buffering: .newest(2)) { [drive] yield, finish in
      drive.upload(file) { @Sendable in
        yield(.progress($0))
      } completion: { @Sendable result in
        switch result {
        case .success(let receipt):
          yield(.done(receipt))
          finish(nil)
        case .failure(let error):
          finish(error)
        }
      }
    } onTermination: { upload in
      upload.cancel()
    }
  }

  func showLocations() async {
    for await location in locations() {
      print("listener:", location)
      if location.isPrecise { break }
    }
  }

  func showSongs() async throws {
    for await song in player.songs() { print("song:", song) }
    try Task.checkCancellation()
  }

  func start() -> Task<Void, Never> {
    Task { [weak self] in
      guard let locations = self?.locations() else { return }
      for await location in locations { self?.show(location) }
    }
  }

  func show(_ location: Location) {}
}

final class ScannerDelegate: ScannerListener {
  private let onCode: @Sendable (String) -> Void
  private let onEnd: @Sendable ((any Error)?) -> Void

  init(
    onCode: @escaping @Sendable (String) -> Void,
    onEnd: @escaping @Sendable ((any Error)?) -> Void
  ) {
    self.onCode = onCode
    self.onEnd = onEnd
  }

  func scanner(_ scanner: Scanner, didRead code: String) { onCode(code) }
  func scanner(_ scanner: Scanner, didEndWith error: (any Error)?) { onEnd(error) }
}

enum UploadStep: Sendable {
  case progress(Double)
  case done(String)
}

func degrees(in city: String) -> AsyncCallbackSequence<Double> {
  AsyncCallbackSequence(buffering: .newest(1)) { yield in
    let context = CallbackContext(isRepeating: true) { (degrees: Double) in yield(degrees) }
    weather_watch(city, { @Sendable in CallbackContext.call($0, $1) }, context.pointer)
    return context
  } onTermination: { context in
    weather_unwatch(context.pointer)
    context.release()
  }
}

actor Thermometer {
  private let sensor = Sensor()

  func readings() -> SendableCallbackSequence<Double, Never> {
    AsyncCallbackSequence(buffering: .newest(1)) { [sensor] yield in
      sensor.addListener(yield)
    } onTermination: { [sensor] number in
      sensor.removeListener(number)
    }.sendable()
  }
}

func events(of bus: Bus) -> SendableCallbackSequence<String, Never> {
  SendableCallbackSequence {
    AsyncCallbackSequence(buffering: .unbounded) { [bus] yield in
      bus.subscribe(yield)
    } onTermination: { [bus] subscriber in
      bus.unsubscribe(subscriber)
    }
  }
}

@MainActor
final class Player {
  private let queue = SongQueue()

  func songs() -> AsyncCallbackSequence<String> {
    AsyncCallbackSequence(buffering: .unbounded) { [queue] yield, finish in
      queue.addListener(yield, onEnd: finish)
    } onTermination: { [queue] token in
      queue.removeListener(token)
    }
  }
}

// MARK: - SDKs that cannot be changed

struct Location: Sendable { let isPrecise: Bool }

extension SDKRequest {
  func invalidate() { cancel() }
  func stop() { cancel() }
}

final class LocationManager {
  func addListener(_ listener: @escaping @Sendable (Location) -> Void) -> SDKRequest {
    SDKRequest { _ in
      listener(Location(isPrecise: false))
      listener(Location(isPrecise: true))
    }
  }

  func removeListener(_ token: SDKRequest) { token.cancel() }
}

protocol ScannerListener: AnyObject {
  func scanner(_ scanner: Scanner, didRead code: String)
  func scanner(_ scanner: Scanner, didEndWith error: (any Error)?)
}

final class Scanner {
  weak var delegate: (any ScannerListener)?
  private var request: SDKRequest?

  func start() {
    nonisolated(unsafe) weak let scanner = self
    request = SDKRequest { error in
      guard let scanner, let delegate = scanner.delegate else { return }
      if error == nil { delegate.scanner(scanner, didRead: "4006381333931") }
      delegate.scanner(scanner, didEndWith: error)
    }
  }

  func stop() { request?.cancel() }
}

final class Feed {
  func observeScore(_ listener: @escaping Pair<Int>) -> SDKRequest { SDKRequest(3, listener) }
}

final class DriveSDK {
  /// Continues while `visit` returns `true`.
  func scan(_ visit: @escaping @Sendable (String) -> Bool) -> SDKRequest {
    SDKRequest { _ in _ = ["beach", "sea"].allSatisfy(visit) }
  }

  func upload(
    _ file: String,
    progress: @escaping @Sendable (Double) -> Void,
    completion: @escaping Handler<String>
  ) -> SDKRequest {
    SDKRequest("receipt 1") { result in
      progress(0.5)
      completion(result)
    }
  }

  func load(
    _ file: String,
    onEnd: @escaping @Sendable ((any Error)?) -> Void,
    onChunk: @escaping @Sendable (Transfer, String) -> Void
  ) -> SDKRequest {
    SDKRequest { error in
      onChunk(Transfer(), "some bytes")
      onEnd(error)
    }
  }
}

/// Like `URLSessionTask`.
struct Transfer: Sendable {
  func suspend() {}
  func resume() {}
}

actor Store {
  func append(_ chunk: String) {}
}

final class SongQueue: Sendable {
  func addListener(
    _ listener: @escaping @Sendable (String) -> Void,
    onEnd: @escaping @Sendable () -> Void
  ) -> Int {
    1
  }

  func removeListener(_ token: Int) {}
}

final class Sensor {
  private var requests: [SDKRequest] = []

  func addListener(_ listener: @escaping @Sendable (Double) -> Void) -> Int {
    requests.append(SDKRequest { _ in listener(36.6) })
    return requests.count - 1
  }

  func removeListener(_ number: Int) { requests[number].cancel() }
}

final class Bus: Sendable {
  func subscribe(_ subscriber: @escaping @Sendable (String) -> Void) -> Int { 1 }
  func unsubscribe(_ subscriber: Int) {}
}

// void weather_watch(const char *city, void (*callback)(void *context, double degrees), void
// *context);
func weather_watch(
  _ city: UnsafePointer<CChar>,
  _ callback: @convention(c) (UnsafeMutableRawPointer?, Double) -> Void,
  _ context: UnsafeMutableRawPointer?
) {
  nonisolated(unsafe) let context = context
  _ = SDKRequest { _ in callback(context, 12.5) }
}

// void weather_unwatch(void *context);
func weather_unwatch(_ context: UnsafeMutableRawPointer?) { SDKRequest.cancelLatest() }
