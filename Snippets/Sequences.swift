// Repeated callbacks: the code of the page "Sequences".
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CallbackSequences
import CooperativeCancellation
import Dispatch
import Foundation

// MARK: - One for each kind of SDK

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

  func scores() -> AsyncThrowingCallbackSequence<Int> {
    AsyncThrowingCallbackSequence(buffering: .newest(1)) { [feed] yield in
      feed.observeScore(yield)
    } onTermination: { observation in
      observation.invalidate()
    }
  }

  func headlines() -> AsyncThrowingCallbackSequence<String> {
    AsyncThrowingCallbackSequence(buffering: .unbounded) { [feed] yield in
      feed.observeHeadlines(yield)
    } onTermination: { observation in
      observation.invalidate()
    }
  }

  func comments() -> AsyncThrowingCallbackSequence<String> {
    AsyncThrowingCallbackSequence(buffering: .unbounded) { [feed] yield, finish in
      feed.observeComments(next: yield, failed: { finish($0) }, finished: { finish(nil) })
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
    print("the playlist is over")
  }

  func start() -> Task<Void, Never> {
    Task { [weak self] in
      guard let locations = self?.locations() else { return }
      for await location in locations { self?.show(location) }
    }
  }

  func firstFever(of thermometer: Thermometer) async -> Double? {
    await thermometer.readings().first { @Sendable in $0 > 38 }
  }

  func show(_ location: Location) { print("shown:", location) }

  func showAll() async throws {
    await showLocations()
    for try await code in scans() { print("delegate:", code) }
    try await printFirst("value and error", scores())
    try await printFirst("result", headlines())
    for try await comment in comments() { print("three callbacks:", comment) }
    try await printFirst("asks", files())
    for try await step in upload("beach") { print("progress:", step) }
    try await showSongs()
    try await printFirst("C", degrees(in: "Oslo"))
    let task = start()
    await Task.yield()
    task.cancel()
    await task.value
  }
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

// MARK: - From an AsyncStream

@MainActor
final class Player {
  private let queue = SongQueue()

  func songsAsAStream() -> AsyncStream<String> {
    AsyncStream { continuation in
      let token = queue.addListener { @Sendable in
        continuation.yield($0)
      } onEnd: { @Sendable in
        continuation.finish()
      }
      continuation.onTermination = { [queue] _ in
        queue.removeListener(token)
      }
    }
  }

  func songs() -> AsyncCallbackSequence<String> {
    AsyncCallbackSequence(buffering: .unbounded) { [queue] yield, finish in
      queue.addListener(yield, onEnd: finish)
    } onTermination: { [queue] token in
      queue.removeListener(token)
    }
  }
}

// MARK: - How they behave

let dashboard = Dashboard()
try await dashboard.showAll()
try await printFirst("an actor's", await Thermometer().readings())
if await dashboard.firstFever(of: Thermometer()) == nil { print("no fever") }
try await printFirst("anywhere", events(of: Bus()))

@MainActor
func printFirst(_ name: String, _ sequence: some AsyncSequence) async throws {
  for try await element in sequence {
    print("\(name):", element)
    break
  }
}

// MARK: - SDKs that cannot be changed

typealias Handler<Value> = @Sendable (Result<Value, any Error>) -> Void

struct Location: Sendable { let isPrecise: Bool }

final class LocationManager {
  func addListener(_ listener: @escaping @Sendable (Location) -> Void) -> NSObject {
    listener(Location(isPrecise: false))
    DispatchQueue.global().async { listener(Location(isPrecise: true)) }
    return NSObject()
  }

  func removeListener(_ token: NSObject) {}
}

protocol ScannerListener: AnyObject {
  func scanner(_ scanner: Scanner, didRead code: String)
  func scanner(_ scanner: Scanner, didEndWith error: (any Error)?)
}

final class Scanner {
  weak var delegate: (any ScannerListener)?

  func start() {
    delegate?.scanner(self, didRead: "4006381333931")
    delegate?.scanner(self, didEndWith: nil)
  }

  func stop() { print("  the scanner was told to stop") }
}

/// Keeps a listener, as Foundation's observations do.
final class Observation {
  func invalidate() {}
}

final class Feed {
  func observeHeadlines(_ listener: @escaping Handler<String>) -> Observation {
    listener(.success("Storm ahead"))
    return Observation()
  }

  func observeScore(_ listener: @escaping @Sendable (Int?, (any Error)?) -> Void) -> Observation {
    listener(3, nil)
    return Observation()
  }

  func observeComments(
    next: @escaping @Sendable (String) -> Void,
    failed: @escaping @Sendable (any Error) -> Void,
    finished: @escaping @Sendable () -> Void
  ) -> Observation {
    next("Well played")
    finished()
    return Observation()
  }
}

/// What the SDK returns, to be stopped or cancelled.
final class Work {
  func stop() {}
  func cancel() {}
}

final class DriveSDK {
  /// Continues while `visit` returns `true`.
  func scan(_ visit: @escaping @Sendable (String) -> Bool) -> Work {
    DispatchQueue.global().async { _ = ["beach", "sea"].allSatisfy(visit) }
    return Work()
  }

  func upload(
    _ file: String,
    progress: @escaping @Sendable (Double) -> Void,
    completion: @escaping Handler<String>
  ) -> Work {
    progress(0.5)
    completion(.success("receipt 1"))
    return Work()
  }
}

final class SongQueue: Sendable {
  func addListener(
    _ listener: @escaping @Sendable (String) -> Void,
    onEnd: @escaping @Sendable () -> Void
  ) -> Int {
    listener("Waterloo")
    onEnd()
    return 1
  }

  func removeListener(_ token: Int) {}
}

final class Sensor {
  func addListener(_ listener: @escaping @Sendable (Double) -> Void) -> Int {
    listener(36.6)
    return 1
  }

  func removeListener(_ number: Int) {}
}

final class Bus: Sendable {
  func subscribe(_ subscriber: @escaping @Sendable (String) -> Void) -> Int {
    subscriber("started")
    return 1
  }

  func unsubscribe(_ subscriber: Int) {}
}

// void weather_watch(const char *city, void (*callback)(void *context, double degrees), void *context);
func weather_watch(
  _ city: UnsafePointer<CChar>,
  _ callback: @convention(c) (UnsafeMutableRawPointer?, Double) -> Void,
  _ context: UnsafeMutableRawPointer?
) {
  callback(context, 12.5)
}

// void weather_unwatch(void *context);
func weather_unwatch(_ context: UnsafeMutableRawPointer?) {}
