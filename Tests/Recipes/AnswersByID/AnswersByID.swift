// The code of the page "Answers by id".

import CooperativeCancellation
import Foundation
import PendingAnswers
import Synchronization

@MainActor
final class Radio: @MainActor CentralDelegate {
  private let central: Central
  private let connections = PendingCalls<String, Void>(
    ifTaken: .waitForTurn,
    lateAnswers: .seconds(5)
  )
  private var cancelled: Set<String> = []
  private let poweredOn = PendingEvent<Void>()

  init(_ central: Central = Central()) {
    self.central = central
    central.delegate = self
  }

  func connect(_ peripheral: Peripheral) async throws {
    try await connections.value(for: peripheral.id, timeout: .seconds(10)) {
      cancelled.remove(peripheral.id)
      central.connect(peripheral)
    } onCancel: {
      cancelled.insert(peripheral.id)
      central.cancelConnection(peripheral)
    }
  }

  func ready() async throws {
    try await poweredOn.value(timeout: .seconds(5)) {
      if central.isPoweredOn { poweredOn.resume() }
    }
  }

  // The delegate's methods, on any thread.

  nonisolated func centralDidUpdateState(_ central: Central) {
    if central.isPoweredOn { poweredOn.resume() }
  }

  // Those that use the state of this class, on the main thread.

  @MainActor func central(_ central: Central, didConnect peripheral: Peripheral) {
    // The end of a cancelled connection follows.
    if !cancelled.contains(peripheral.id) { connections.resume(peripheral.id) }
  }

  @MainActor func central(_ central: Central, didFail peripheral: Peripheral, error: any Error) {
    connections.resume(peripheral.id, throwing: error)
  }

  @MainActor
  func central(_ central: Central, didDisconnect peripheral: Peripheral, error: (any Error)?) {
    // Otherwise, a connection was lost, or an earlier one has ended.
    guard cancelled.remove(peripheral.id) != nil else { return }
    connections.resume(peripheral.id, throwing: error ?? Disconnected())
  }
}

struct Disconnected: Error {}

final class Client: Sendable {
  private let socket: Socket
  private let replies = PendingCalls<Int, String>()

  init(_ socket: Socket) {
    self.socket = socket
    socket.onMessage { [replies] id, text in replies.resume(id, returning: text) }
    socket.onClose { [replies] error in replies.close(throwing: error) }
  }

  func ask(_ question: String) async throws -> String {
    let id = socket.nextID()
    return try await replies.value(for: id, timeout: .seconds(5)) {
      socket.write(id, question)
    } onCancel: {
      socket.write(id, "cancel")
    }
  }
}

extension Client {
  func order(_ text: String) async throws -> String {
    let id = socket.nextID()
    return try await replies.value(forSending: id, timeout: .seconds(5)) { [socket] in
      try await socket.send(id, text)
    } onCancel: { [socket] in
      socket.write(id, "cancel")
    }
  }

  func post(_ text: String) async throws -> String {
    let id = socket.nextID()
    return try await replies.value(for: id, timeout: .seconds(5)) {
      Task {
        do { try await socket.send(id, text) } catch { replies.resume(id, throwing: error) }
      }
    }
  }
}

final class Server: Sendable {
  private let started = PendingEvent<Int>()

  @MainActor init(_ listener: Listener) {
    listener.onReady { [started] port in started.close(returning: port) }
    listener.onFailure { [started] error in started.close(throwing: error) }
  }

  func port() async throws -> Int { try await started.value(timeout: .seconds(5)) }

  func waitForStart() async -> Bool { (try? await started.value()) != nil }
}

final class Album: Sendable {
  private let sdk = ImageSDK()
  private let loads = SharedCalls<String, Image>()

  func image(_ name: String) async throws -> Image {
    try await loads.value(for: name, timeout: .seconds(30)) { [sdk] in
      try await withAsyncThrowingValue { completion in
        sdk.load(name) { completion($0) }
      } onCancel: { request in
        request.cancel()
      }
    }
  }
}

actor Session {
  private let api = API()
  private let refreshes = SharedCalls<String, String>()
  private var token: String?

  func validToken() async throws -> String {
    if let token { return token }
    return try await refreshes.value(for: "token") { try await self.refresh() }
  }

  func prepare() {
    refreshes.begin(for: "token") { try await self.refresh() }
  }

  func logOut() {
    token = nil
    refreshes.resume("token", throwing: LoggedOut())
  }

  private func refresh() async throws -> String {
    let token = try await api.refresh()
    try checkpoint()
    self.token = token
    return token
  }
}

struct LoggedOut: Error {}

@MainActor
final class Search {
  private let index: Index
  private let results = PendingCalls<Int, [String]>()

  init(_ index: Index) {
    self.index = index
    index.onResult { [results] number, names in results.resume(number, returning: names) }
  }

  func names(matching text: String) async throws -> [String] {
    try await results.value {
      index.search(text)
    } onCancel: { number in
      index.stop(number)
    }
  }
}

@MainActor
final class Sensor {
  private let link: Link
  private let reads: PendingCalls<String, [UInt8]>

  init(_ link: Link, onValue: @escaping @Sendable (String, [UInt8]) -> Void) {
    self.link = link
    reads = PendingCalls(ifTaken: .waitForTurn, lateAnswers: .seconds(5))
    link.onValue { [reads] characteristic, result in
      reads.resume(characteristic, with: result)
      if case .success(let value) = result { onValue(characteristic, value) }
    }
    link.onLoss { [reads] error in reads.resumeAll(throwing: error) }
  }

  func read(_ characteristic: String) async throws -> [UInt8] {
    try await reads.value(for: characteristic, timeout: .seconds(10)) { link.read(characteristic) }
  }
}

@MainActor
final class Suggestions {
  private let completer = Completer()
  private let results = PendingEvent<[String]>()

  init() { completer.onResults = { [results] names in results.resume(returning: names) } }

  func suggestions(for text: String) async throws -> [String] {
    try checkpoint()
    results.resume(throwing: CancellationError())  // Ends the previous query's wait.
    return try await results.value { completer.query = text }
  }
}

@MainActor
final class Shop {
  private let queue = PurchaseQueue()
  private let purchases = PendingCalls<String, String>(ifTaken: .waitForTurn)
  private let restoration = PendingCall<Void>()

  init(onReceipt: @escaping @Sendable (String) -> Void) {
    queue.onTransaction = { [purchases] product, result, isRestored in
      if !isRestored, purchases.tryResume(product, with: result) { return }
      if case .success(let receipt) = result { onReceipt(receipt) }
    }
    queue.onRestored = { [restoration] result in restoration.resume(with: result) }
  }

  func buy(_ product: String) async throws -> String {
    try await purchases.value(for: product, whenCancelled: .deliverResult) { queue.add(product) }
  }

  func restore() async throws {
    try await restoration.value(whenCancelled: .waitForCallback) { queue.restore() }
  }
}

// The SDKs.

/// From before Swift 6: neither `Sendable` nor on an actor.
nonisolated protocol CentralDelegate: AnyObject {
  func centralDidUpdateState(_ central: Central)
  func central(_ central: Central, didConnect peripheral: Peripheral)
  func central(_ central: Central, didFail peripheral: Peripheral, error: any Error)
  func central(_ central: Central, didDisconnect peripheral: Peripheral, error: (any Error)?)
}

nonisolated final class Peripheral {
  let id: String
  init(_ id: String) { self.id = id }
}

/// As a `CBCentralManager` without a queue, by Apple's pages of `init(delegate:queue:)`,
/// `connect(_:options:)`, `cancelPeripheralConnection(_:)` and
/// `centralManager(_:didDisconnectPeripheral:error:)`: it reports on the main thread, and a
/// cancellation, which returns at once, ends an attempt or a connection with `didDisconnect`.
nonisolated final class Central {
  private struct Attempt {
    let peripheral: Peripheral
    var request: SDKRequest?
    var isConnected = false
    var isCancelled = false
  }

  weak var delegate: (any CentralDelegate)?
  let isPoweredOn = true
  /// Otherwise, ``reportDisconnection(of:)`` does.
  private let reportsDisconnections: Bool
  private var attempts: [Attempt] = []

  init(reportsDisconnections: Bool = true) { self.reportsDisconnections = reportsDisconnections }

  func connect(_ peripheral: Peripheral) {
    let number = attempts.count
    attempts.append(Attempt(peripheral: peripheral))
    nonisolated(unsafe) weak let central = self
    attempts[number].request = SDKRequest { error in
      onMainThread { central?.answer(number, error) }
    }
  }

  func cancelConnection(_ peripheral: Peripheral) {
    guard let number = attempts.lastIndex(where: { $0.peripheral.id == peripheral.id }),
      !attempts[number].isCancelled
    else { return }
    attempts[number].isCancelled = true
    attempts[number].request?.cancel()
    nonisolated(unsafe) let (central, peripheral) = (self, peripheral)
    if attempts[number].isConnected, reportsDisconnections {
      DispatchQueue.main.async { central.reportDisconnection(of: peripheral) }
    }
  }

  /// A connection that was made just before the cancellation, and of which the delegate learns
  /// after it.
  func reportConnection(of peripheral: Peripheral) {
    delegate?.central(self, didConnect: peripheral)
  }

  func reportDisconnection(of peripheral: Peripheral) {
    delegate?.central(self, didDisconnect: peripheral, error: nil)
  }

  private func answer(_ number: Int, _ error: (any Error)?) {
    let peripheral = attempts[number].peripheral
    if let error {
      delegate?.central(self, didFail: peripheral, error: error)
    } else if attempts[number].isCancelled {
      reportDisconnection(of: peripheral)
    } else {
      attempts[number].isConnected = true
      reportConnection(of: peripheral)
    }
  }
}

/// Runs `body` at once if this is the main thread, and otherwise soon.
nonisolated func onMainThread(_ body: @escaping @Sendable () -> Void) {
  if Thread.isMainThread { body() } else { DispatchQueue.main.async(execute: body) }
}

nonisolated final class Socket: Sendable {
  private let message = Mutex<@Sendable (Int, String) -> Void>({ _, _ in })
  private let requests = Mutex<[Int: SDKRequest]>([:])
  private let last = Atomic(0)

  func onMessage(_ handler: @escaping @Sendable (Int, String) -> Void) {
    message.withLock { $0 = handler }
  }

  func onClose(_ handler: @escaping @Sendable (any Error) -> Void) {}

  func nextID() -> Int { last.add(1, ordering: .relaxed).newValue }

  func write(_ id: Int, _ text: String) {
    if text == "cancel" { return requests.withLock { $0[id]?.cancel() ?? () } }
    let message = message.withLock { $0 }
    let request = SDKRequest { _ in message(id, "answer to \(text)") }
    requests.withLock { $0[id] = request }
  }

  func send(_ id: Int, _ text: String) async throws { write(id, text) }
}

@MainActor
final class Listener {
  func onReady(_ handler: @escaping @Sendable (Int) -> Void) {}
  func onFailure(_ handler: @escaping @Sendable (any Error) -> Void) {}
}

nonisolated struct Image: Sendable { let name: String }

nonisolated final class ImageSDK: Sendable {
  func load(_ name: String, _ completion: @escaping Handler<Image>) -> SDKRequest {
    SDKRequest(Image(name: name), completion)
  }
}

nonisolated struct API: Sendable {
  func refresh() async throws -> String {
    try await withAsyncThrowingValue { (completion: @escaping Handler<String>) in
      SDKRequest("a token", completion)
    } onCancel: { request in
      request.cancel()
    }
  }
}

@MainActor
final class Index {
  private var handler: @Sendable (Int, [String]) -> Void = { _, _ in }
  private var requests: [SDKRequest] = []

  func onResult(_ handler: @escaping @Sendable (Int, [String]) -> Void) { self.handler = handler }

  func search(_ text: String) -> Int {
    let number = requests.count
    requests.append(SDKRequest { [handler] _ in handler(number, ["Ada", "Alan"]) })
    return number
  }

  func stop(_ number: Int) { requests[number].cancel() }
}

@MainActor
final class Link {
  private var value: @Sendable (String, Result<[UInt8], any Error>) -> Void = { _, _ in }

  func onValue(_ handler: @escaping @Sendable (String, Result<[UInt8], any Error>) -> Void) {
    value = handler
  }

  func onLoss(_ handler: @escaping @Sendable (any Error) -> Void) {}

  func read(_ characteristic: String) {
    _ = SDKRequest([61]) { [value] in value(characteristic, $0) }
  }
}

@MainActor
final class Completer {
  var onResults: @Sendable ([String]) -> Void = { _ in }
  var query = "" {
    didSet { _ = SDKRequest { [onResults, query] _ in onResults([query + "lo"]) } }
  }
}

@MainActor
final class PurchaseQueue {
  typealias Observer = @Sendable (String, Result<String, any Error>, _ isRestored: Bool) -> Void

  var onTransaction: Observer = { _, _, _ in }
  var onRestored: Handler<Void> = { _ in }

  func add(_ product: String) {
    _ = SDKRequest("receipt") { [onTransaction] in onTransaction(product, $0, false) }
  }

  func restore() {
    _ = SDKRequest(()) { [onTransaction, onRestored] result in
      onTransaction("coffee", .success("receipt for an old coffee"), true)
      onRestored(result)
    }
  }
}
