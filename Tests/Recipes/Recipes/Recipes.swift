// The code of the page "Recipes by kind of SDK".
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CCallbacks
import CallbackSequences
import CooperativeCancellation
import Dispatch
import Foundation
import PendingAnswers
import Synchronization

@MainActor
final class Drive {
  private let sdk = DriveSDK()
  private let scans = PendingCall<String>()
  private let scale = Scale()
  private let queue = OperationQueue()
  private let account = Account.shared

  func icon(of name: String) async throws -> Data {
    try await withAsyncThrowingValue { completion in
      let operation = IconOperation(name)
      operation.completionBlock = { @Sendable [weak operation] in
        if let operation { completion(operation.result) }
      }
      queue.addOperation(operation)
      return operation
    } onCancel: { operation in
      operation.cancel()
    }
  }

  func thumbnail(of name: String) async throws -> Data {
    try await withAsyncThrowingValue { completion in
      sdk.thumbnail(of: name, completion: completion)
    } onCancel: { request in
      request.cancel()
    }
  }

  func owner(of name: String) async throws -> Profile? {
    try await withAsyncThrowingValueIfPresent { sdk.findOwner(of: name, completion: $0) }
  }

  func rename(_ name: String, to newName: String) async throws {
    let isRenamed = try await withAsyncThrowingValue { completion in
      sdk.rename(name, to: newName, completion: completion)
    }
    guard isRenamed else { throw NameTakenError() }
  }

  func place() async throws -> Place {
    try await withAsyncThrowingValue { completion in
      let (finder, delegate) = (PlaceFinder(), PlaceDelegate(completion))
      finder.delegate = delegate
      finder.start()
      return (finder, delegate)
    } onCancel: { finder, _ in
      finder.stop()
    }
  }

  func weight() async throws -> Double {
    var listener: Int?
    defer { if let listener { scale.removeListener(listener) } }
    return try await withAsyncThrowingValue { completion in
      listener = scale.addListener { @Sendable in completion(.success($0)) }
    }
  }

  func link(to host: String) async throws -> Link {
    let link = Link(host: host)
    let opening = PendingCall<Void>()
    link.stateHandler = { @Sendable state in
      switch state {
      case .connecting: break
      case .ready: opening.resume()
      case .failed(let error): opening.resume(throwing: error)
      }
    }
    do {
      try await opening.value(timeout: .seconds(30)) { link.start() }
    } catch {
      link.close()
      throw error
    }
    return link
  }

  func flags() async throws -> [String] {
    let answer = PendingCall<[String]>()
    return try await answer.value(timeout: .seconds(30)) {
      sdk.loadFlags { @Sendable in answer.resume(with: $0) }
    } onCancel: { request in
      request.cancel()
    }
  }

  func beacon() async throws -> String {
    try await withAsyncThrowingValue(timeout: .seconds(30)) { completion in
      sdk.findBeacon(completion)
    } onCancel: { search in
      search.cancel()
    }
  }

  func user(_ id: Int) async throws -> User {
    try await withAsyncThrowingValue { success, failure in
      sdk.get("users/\(id)", failure: failure) { @Sendable json in
        guard let name = json["name"] as? String else { return failure(MalformedUser()) }
        success(User(name: name))
      }
    }
  }

  func records() async throws -> [String] {
    let batches = AsyncThrowingCallbackSequence(buffering: .unbounded) { [sdk] yield in
      sdk.records { @Sendable names, isDone, error in yield((names, isDone), error) }
    } onTermination: {
      $0.cancel()
    }
    var records: [String] = []
    for try await (names, isDone) in batches {
      records += names
      if isDone { return records }
    }
    throw IncompleteRecords()
  }

  func upload(_ name: String) async throws -> Int {
    try await withAsyncThrowingValue { completion in
      LateRequest { arrived in
        sdk.upload(name, taskHandler: arrived, completion: completion)
      }
    } onCancel: { late in
      late.cancel { upload in upload.cancel() }
    }
  }

  func translation(of text: String) async throws -> String {
    try await withAsyncThrowingValue { completion in
      guard let request = sdk.translate(text, completion: completion) else {
        throw TranslatorBusyError()
      }
      return request
    } onCancel: { request in
      request.cancel()
    }
  }

  func scan() async throws -> String {
    try await scans.value {
      sdk.scan { @Sendable [scans] result in scans.resume(with: result) }
    } onCancel: {
      sdk.stopScan()
    }
  }

  func card() async throws -> String {
    try await withAsyncThrowingValue { completion in
      let (scanner, delegate) = (CardScanner(), CardDelegate(completion))
      scanner.delegate = delegate
      scanner.show()
      return (scanner, delegate)
    } onCancel: { scanner, _ in
      scanner.hide()
    }
  }

  func rebuildIndex() async throws {
    try await withAsyncThrowingValue(whenCancelled: .waitForCallback) {
      sdk.rebuildIndex(completion: $0)
    }
  }

  func export() async throws -> Int {
    try await withCancellationFlag { flag in
      try await withAsyncThrowingValue(timeout: .seconds(60)) { completion in
        sdk.export(shouldContinue: { @Sendable in !flag.isCancelled }, completion: completion)
      } onCancel: {
        flag.set()
      }
    }
  }

  func signIn() async throws -> Profile {
    try await withAsyncThrowingValue { success, failure in
      let sheet = SignInSheet(success: success, failure: failure) { failure(CancellationError()) }
      sheet.present()
      return sheet
    } onCancel: { sheet in
      sheet.dismiss()
      account.signOut()
    }
  }

  func download(
    _ name: String,
    progress: @escaping @Sendable (Double) -> Void
  ) async throws -> Data {
    try await withAsyncThrowingValue { completion in
      sdk.download(name, progress: progress, completion: completion)
    } onCancel: { request in
      request.cancel()
    }
  }

  func video(_ name: String) async throws -> Data {
    try await withProgressLimit(.seconds(30)) { progress in
      try await self.download(name) { _ in progress() }
    }
  }

  func picture(_ name: String) async throws -> Data {
    try await withAsyncThrowingValue { completion in
      sdk.picture(name) { @Sendable data, isPreview, error in
        if !isPreview { completion(data, error) }
      }
    }
  }
}

final class IconOperation: Operation, @unchecked Sendable {
  let result: Result<Data, any Error>

  init(_ icon: String) { result = .success(Data(icon.utf8)) }
}

nonisolated final class PlaceDelegate: PlaceFinderDelegate {
  private let completion: @Sendable (Result<Place, any Error>) -> Void

  init(_ completion: @escaping @Sendable (Result<Place, any Error>) -> Void) {
    self.completion = completion
  }

  func placeFinder(_ finder: PlaceFinder, didFind place: Place) {
    completion(.success(place))
  }

  func placeFinder(_ finder: PlaceFinder, didFailWith error: any Error) {
    completion(.failure(error))
  }
}

@MainActor
final class CardDelegate: CardScannerDelegate {
  private let completion: @Sendable (Result<String, any Error>) -> Void

  init(_ completion: @escaping @Sendable (Result<String, any Error>) -> Void) {
    self.completion = completion
  }

  func cardScanner(_ scanner: CardScanner, didScan number: String) {
    completion(.success(number))
  }

  func cardScanner(_ scanner: CardScanner, didFailWith error: any Error) {
    completion(.failure(error))
  }
}

actor Catalog {
  private let database = Database()

  func title(of number: Int) async throws -> String {
    try await withAsyncThrowingValue { completion in
      database.fetch(number) { @Sendable row, error in
        completion(row?.title, error)
      }
    } onCancel: { query in
      query.cancel()
    }
  }
}

extension Catalog {
  func nextChange() async throws -> Int {
    let changes = AsyncThrowingCallbackSequence(buffering: .oldest(1)) { [database] yield in
      database.addListener(yield)
    } onTermination: { [database] listener in
      database.removeListener(listener)
    }
    for try await number in changes { return number }
    throw DatabaseClosedError()
  }
}

extension Drive {
  func degrees(in city: String) async throws -> Double {
    try await withAsyncThrowingValue { completion in
      let context = CallbackContext { (status: Int32, degrees: Double) in
        completion(status == 0 ? .success(degrees) : .failure(WeatherError(status: status)))
      }
      let status = weather_fetch(
        city,
        { @Sendable in CallbackContext.call($0, $1, $2) },
        context.pointer
      )
      guard status == 0 else { throw WeatherError(status: status) }
      return context
    } onCancel: { _ in
      weather_cancel()
    }
  }

  func convert(_ file: String, progress: @escaping @Sendable (Double) -> Void) async throws {
    try await withAsyncThrowingValue(whenCancelled: .waitForCallback) { completion in
      let context = CallbackContext(isRepeating: true) { (isEnd: Bool, value: Double) in
        if isEnd { completion(value == 0 ? nil : ConversionError()) } else { progress(value) }
      }
      let job = convert_start(
        file,
        { @Sendable in CallbackContext.call($0, false, $1) },
        { @Sendable in CallbackContext.call($0, true, Double($1)) },
        context.pointer,
        conversions
      )
      return (context, ConversionJob(job))
    } onCancel: { _, job in
      convert_stop(job.pointer)
    }
  }
}

@MainActor
final class Forecast {
  private let call = PendingCall<Double>()
  private let context: CallbackContext

  init() {
    context = CallbackContext(isRepeating: true) {
      [call] (status: Int32, degrees: Double) -> Void in
      call.resume(with: status == 0 ? .success(degrees) : .failure(WeatherError(status: status)))
    }
  }

  func degrees(in city: String) async throws -> Double {
    try await call.value {
      let status = weather_fetch(
        city,
        { @Sendable in CallbackContext.call($0, $1, $2) },
        context.pointer
      )
      guard status == 0 else { throw WeatherError(status: status) }
    } onCancel: {
      weather_cancel()
    }
  }
}

/// Throws ``TimeoutError`` if `body` reports no progress for so long.
func withProgressLimit<Value: Sendable>(
  _ limit: Timeout,
  _ body: @escaping @Sendable (_ progress: @escaping @Sendable () -> Void) async throws -> Value
) async throws -> Value {
  let progress = PendingEvent<Void>()
  return try await withThrowingTaskGroup { group in
    group.addTask { try await body { progress.resume() } }
    group.addTask { while true { try await progress.value(timeout: limit) } }
    defer { group.cancelAll() }
    for try await value in group { return value }
    throw CancellationError()  // Not reached: each task has a result.
  }
}

/// Where C calls back.
let conversions = DispatchQueue(label: "conversions")

final class ConversionJob {
  let pointer: OpaquePointer?
  init(_ pointer: OpaquePointer?) { self.pointer = pointer }

  deinit {
    nonisolated(unsafe) let pointer = pointer
    conversions.async { convert_free(pointer) }
  }
}

/// The example in the comment of `PendingCall`: an SDK that may also refuse a scan.
@MainActor
final class Desk {
  private let sdk = DeskSDK()
  private let scans = PendingCall<String>()

  func scan() async throws -> String {
    try await scans.value {
      let hasBegun = sdk.scan { @Sendable [scans] in scans.resume(with: $0) }
      if !hasBegun { throw ScannerBusyError() }
    } onCancel: {
      sdk.stopScan()
    }
  }
}

@MainActor
final class PlayerModel: PlayerDelegate {
  private(set) var position = 0.0

  nonisolated func playerDidReach(_ position: Double) {
    MainActor.assumeIsolated { self.position = position }
  }
}

// MARK: - SDKs that cannot be changed

struct Profile: Sendable { let name = "Ann" }
struct Place: Sendable { let name = "Oslo" }
struct User: Sendable { let name: String }
struct MalformedUser: Error {}
struct IncompleteRecords: Error {}
struct ConversionError: Error {}
struct NameTakenError: Error {}
struct TranslatorBusyError: Error {}
struct ScannerBusyError: Error {}
struct DatabaseClosedError: Error {}
struct WeatherError: Error { let status: Int32 }

/// May be cancelled from any thread.
struct UploadTask: Sendable {
  let cancel: @Sendable () -> Void
}

final class DriveSDK {
  private var runningScan: SDKRequest?

  func thumbnail(of name: String, completion: @escaping Pair<Data>) -> SDKRequest {
    SDKRequest(Data(name.utf8), completion)
  }

  func findOwner(of name: String, completion: @escaping (Profile?, (any Error)?) -> Void) {
    completion(nil, nil)
  }

  /// May never call back.
  func findBeacon(_ completion: @escaping Pair<String>) -> SDKRequest {
    SDKRequest("lobby", completion)
  }

  /// Calls back with the flags that it knows, and again when they have changed.
  func loadFlags(_ completion: @escaping Handler<[String]>) -> SDKRequest {
    SDKRequest(["blue"]) { result in
      completion(result)
      completion(.success(["green"]))
    }
  }

  func get(
    _ path: String,
    failure: @escaping @Sendable (NSError?) -> Void,
    success: @escaping @Sendable ([String: Any]) -> Void
  ) {
    _ = SDKRequest { $0 == nil ? success(["name": "Ann"]) : failure(nil) }
  }

  func records(_ completion: @escaping @Sendable ([String], Bool, (any Error)?) -> Void)
    -> SDKRequest
  {
    SDKRequest { error in
      completion(["a", "b"], false, error)
      completion(["c"], true, nil)
    }
  }

  func rename(_ name: String, to newName: String, completion: @escaping (Bool, NSError?) -> Void) {
    completion(newName != "taken", nil)
  }

  /// Makes the task and passes it on.
  func upload(
    _ name: String,
    taskHandler: @escaping @Sendable (UploadTask) -> Void,
    completion: @escaping Pair<Int>
  ) {
    SDKRequest(name.utf8.count, completion).deliver { taskHandler(UploadTask(cancel: $0)) }
  }

  /// Returns `nil` if it refuses the text. Then it does not call back.
  func translate(_ text: String, completion: @escaping Handler<String>) -> SDKRequest? {
    text.isEmpty ? nil : SDKRequest("Meer", completion)
  }

  /// Makes one scan at a time.
  func scan(completion: @escaping Handler<String>) {
    runningScan = SDKRequest("4006381333931", completion)
  }

  func stopScan() { runningScan?.cancel() }

  func rebuildIndex(completion: @escaping @Sendable ((any Error)?) -> Void) {
    _ = SDKRequest(completion)
  }

  func export(shouldContinue: @escaping @Sendable () -> Bool, completion: @escaping Handler<Int>) {
    _ = SDKRequest { error in
      if let error { return completion(.failure(error)) }
      completion(.success((1...1_000).prefix { _ in shouldContinue() }.count))
    }
  }

  func download(
    _ name: String,
    progress: @escaping @Sendable (Double) -> Void,
    completion: @escaping Pair<Data>
  ) -> SDKRequest {
    progress(0.5)
    return SDKRequest(Data(name.utf8), completion)
  }

  /// Calls back with a preview and then with the picture.
  func picture(
    _ name: String,
    completion: @escaping @Sendable (Data?, Bool, (any Error)?) -> Void
  ) {
    _ = SDKRequest { error in
      completion(Data(), true, nil)
      completion(error == nil ? Data(name.utf8) : nil, false, error)
    }
  }
}

final class DeskSDK {
  private var running: SDKRequest?

  /// Returns whether the scan has begun. If not, the SDK does not call back.
  func scan(completion: @escaping Handler<String>) -> Bool {
    running = SDKRequest("4006381333931", completion)
    return true
  }

  func stopScan() { running?.cancel() }
}

protocol PlaceFinderDelegate: AnyObject {
  func placeFinder(_ finder: PlaceFinder, didFind place: Place)
  func placeFinder(_ finder: PlaceFinder, didFailWith error: any Error)
}

final class PlaceFinder {
  weak var delegate: (any PlaceFinderDelegate)?
  private var request: SDKRequest?

  func start() {
    nonisolated(unsafe) weak let finder = self
    request = SDKRequest { error in
      guard let finder, let delegate = finder.delegate else { return }
      guard let error else { return delegate.placeFinder(finder, didFind: Place()) }
      delegate.placeFinder(finder, didFailWith: error)
    }
  }

  func stop() { request?.cancel() }
}

final class Scale {
  private var requests: [SDKRequest] = []

  func addListener(_ listener: @escaping @Sendable (Double) -> Void) -> Int {
    requests.append(SDKRequest { _ in listener(71.5) })
    return requests.count - 1
  }

  func removeListener(_ number: Int) { requests[number].cancel() }
}

/// Not `Sendable`. Its handler receives each state.
final class Link {
  enum State { case connecting, ready, failed(any Error) }

  let host: String
  var stateHandler: ((State) -> Void)?
  private var request: SDKRequest?

  init(host: String) { self.host = host }

  func start() {
    nonisolated(unsafe) let handler = stateHandler
    request = SDKRequest { error in
      handler?(.connecting)
      if error == nil { handler?(.ready) }
      handler?(.failed(SDKError()))
    }
  }

  func close() {
    request?.cancel()
    stateHandler?(.failed(SDKError()))
  }
}

/// A sign-in screen of an SDK, which calls back on the main thread.
@MainActor
final class SignInSheet {
  private let success: @Sendable (Profile) -> Void
  private let failure: @Sendable (any Error) -> Void
  private var request: SDKRequest?

  init(
    success: @escaping @Sendable (Profile) -> Void,
    failure: @escaping @Sendable (any Error) -> Void,
    cancelled: @escaping () -> Void
  ) {
    (self.success, self.failure) = (success, failure)
  }

  func present() {
    request = SDKRequest { [success, failure] error in
      if let error { return failure(error) }
      Account.shared.signIn()
      success(Profile())
    }
  }

  func dismiss() { request?.cancel() }
}

/// Stays signed in after the sheet has closed.
nonisolated final class Account: Sendable {
  static let shared = Account()

  private let isIn = Mutex(false)

  var isSignedIn: Bool { isIn.withLock { $0 } }
  func signIn() { isIn.withLock { $0 = true } }
  func signOut() { isIn.withLock { $0 = false } }
}

@MainActor
protocol CardScannerDelegate: AnyObject {
  func cardScanner(_ scanner: CardScanner, didScan number: String)
  func cardScanner(_ scanner: CardScanner, didFailWith error: any Error)
}

/// A screen of an SDK whose delegate belongs to the main actor.
@MainActor
final class CardScanner {
  weak var delegate: (any CardScannerDelegate)?
  private var request: SDKRequest?

  func show() {
    request = SDKRequest { [weak self] error in
      Task { @MainActor in
        guard let self, let delegate = self.delegate else { return }
        guard let error else { return delegate.cardScanner(self, didScan: "4929") }
        delegate.cardScanner(self, didFailWith: error)
      }
    }
  }

  func hide() { request?.cancel() }
}

protocol PlayerDelegate: AnyObject {
  func playerDidReach(_ position: Double)
}

/// Not `Sendable`, and neither are its rows.
final class Database {
  final class Row { let title = "Beach" }

  func fetch(_ number: Int, _ completion: @escaping @Sendable (Row?, (any Error)?) -> Void)
    -> SDKRequest
  {
    SDKRequest { completion($0 == nil ? Row() : nil, $0) }
  }

  func addListener(_ listener: @escaping @Sendable (Int) -> Void) -> SDKRequest {
    SDKRequest { _ in listener(7) }
  }

  func removeListener(_ listener: SDKRequest) { listener.cancel() }
}

typealias WeatherCallback = @convention(c) (UnsafeMutableRawPointer?, Int32, Double) -> Void

// int weather_fetch(const char *city, void (*callback)(void *context, int status, double degrees),
// void *context);
func weather_fetch(
  _ city: UnsafePointer<CChar>,
  _ callback: WeatherCallback,
  _ context: UnsafeMutableRawPointer?
) -> Int32 {
  nonisolated(unsafe) let context = context
  _ = SDKRequest { callback(context, $0 == nil ? 0 : 7, 12.5) }
  return 0
}

// void weather_cancel(void);
func weather_cancel() { SDKRequest.cancelLatest() }

func convert_start(
  _ file: UnsafePointer<CChar>,
  _ progress: @convention(c) (UnsafeMutableRawPointer?, Double) -> Void,
  _ end: @convention(c) (UnsafeMutableRawPointer?, Int32) -> Void,
  _ context: UnsafeMutableRawPointer?,
  _ queue: DispatchQueue
) -> OpaquePointer? {
  nonisolated(unsafe) let context = context
  _ = SDKRequest { error in
    queue.async {
      progress(context, 0.5)
      end(context, error == nil ? 0 : 1)
    }
  }
  return OpaquePointer(bitPattern: 1)
}

func convert_stop(_ job: OpaquePointer?) { SDKRequest.cancelLatest() }

func convert_free(_ job: OpaquePointer?) {}
