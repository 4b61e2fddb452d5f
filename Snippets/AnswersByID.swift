// Answers that arrive elsewhere: the code of the page "Answers that come by id".

import CooperativeCancellation
import Dispatch
import PendingAnswers
import Synchronization

@MainActor
final class Radio: CentralDelegate {
  private let central = Central()
  private let connections = PendingCalls<String, Void>(
    ifTaken: .waitForTurn,
    lateAnswers: .seconds(5)
  )
  private let disconnections = PendingCalls<String, Void>()
  private let poweredOn = PendingEvent<Void>()

  init() {
    central.delegate = self
  }

  func connect(_ peripheral: Peripheral) async throws {
    try await connections.value(for: peripheral.id, timeout: .seconds(10)) {
      central.connect(peripheral)
    } onCancel: {
      central.cancelConnection(peripheral)
    }
  }

  func disconnect(_ peripheral: Peripheral) async throws {
    try await disconnections.value(for: peripheral.id) { central.cancelConnection(peripheral) }
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

  nonisolated func central(_ central: Central, didConnect peripheral: Peripheral) {
    if !connections.resume(peripheral.id) { central.cancelConnection(peripheral) }
  }

  nonisolated func central(_ central: Central, didFail peripheral: Peripheral, error: any Error) {
    connections.resume(peripheral.id, throwing: error)
  }

  nonisolated func central(_ central: Central, didDisconnect peripheral: Peripheral) {
    disconnections.resume(peripheral.id)
  }

  nonisolated func centralDidReset(_ central: Central, error: any Error) {
    connections.resumeAll(throwing: error)
    disconnections.resumeAll(throwing: error)
  }
}

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
    return try await replies.value(inTaskFor: id, timeout: .seconds(5)) { [socket] in
      try await socket.send(id, text)
    } onCancel: { [socket] in
      socket.write(id, "cancel")
    }
  }
}

extension Client {
  func post(_ text: String) async throws -> String {
    let id = socket.nextID()
    return try await replies.value(for: id, timeout: .seconds(5)) {
      Task {
        do { try await socket.send(id, text) } catch { replies.resume(id, throwing: error) }
      }
    }
  }
}

extension Client {
  func ask(all questions: [String]) async throws -> [String] {
    let ids = questions.map { _ in socket.nextID() }
    let unregistered = Countdown(from: ids.count)
    return try await withThrowingTaskGroup { group in
      for (place, id) in ids.enumerated() {
        group.addTask { [replies, socket] in
          let answer = try await replies.value(for: id, timeout: .seconds(5)) {
            if unregistered.next() == 0 { socket.write(ids, questions) }
          } onCancel: {
            socket.write(id, "cancel")
          }
          return (place, answer)
        }
      }
      var answers = questions
      for try await (place, answer) in group { answers[place] = answer }
      return answers
    }
  }

  func received(_ id: Int, _ text: String) {
    if replies.resume(id, returning: text) { return }
    if id > socket.lastID { print("no call has the id \(id)") }
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

@MainActor
final class Gallery {
  private let images = ImageSDK()
  private var loads: [String: PendingEvent<String>] = [:]

  func image(_ name: String) async throws -> String {
    if let load = loads[name] { return try await load.value() }
    let load = PendingEvent<String>()
    return try await load.value {
      loads[name] = load
      images.load(name) { @Sendable [weak self] result in
        switch result {
        case .success(let image): load.close(returning: image)
        case .failure(let error): load.close(throwing: error)
        }
        Task { @MainActor in self?.loads[name] = nil }
      }
    }
  }
}

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

  init(_ link: Link) {
    self.link = link
    reads = PendingCalls(ifTaken: .waitForTurn, lateAnswers: .seconds(5))
    link.onValue { [reads] characteristic, result in reads.resume(characteristic, with: result) }
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
  private let purchase = PendingCall<String>()

  init() {
    queue.observer = { [purchase] result in
      if !purchase.resume(with: result) { print("no call waits for \(result)") }
    }
  }

  func buy(_ product: String) async throws -> String {
    try await purchase.value(whenCancelled: .deliverResult) { queue.add(product) }
  }
}

let radio = Radio()
try await radio.ready()
let lamp = Peripheral("lamp")
try await radio.connect(lamp)
try await radio.disconnect(lamp)

let socket = Socket()
let client = Client(socket)
print(try await client.ask("one"), try await client.order("two"))
print(try await client.post("five"))
let search = Search(Index())
print(try await search.names(matching: "a"))
let link = Link()
let sensor = Sensor(link)
let read = Task { try await sensor.read("2A37") }
while link.reads.isEmpty { await Task.yield() }
read.cancel()
print("cancelled: \(await read.result)")
async let pulse = sensor.read("2A37")
link.answer()  // The first read, too late.
while link.reads.isEmpty { await Task.yield() }
link.answer()
print("pulse: \(try await pulse)")
let values = PendingCalls<String, [UInt8]>(ifTaken: .answerInOrder)
let readers = [1, 2].map { _ in Task { try await values.value(for: "volts") {} } }
while values.count < 2 { await Task.yield() }
readers[0].cancel()
for value in [1, 2] as [UInt8] { values.resume("volts", returning: [value]) }
print("in order: \(await readers[0].result), \(await readers[1].result)")
let suggestions = Suggestions()
let superseded = Task { try await suggestions.suggestions(for: "") }
await Task.yield()
print("latest: \(try await suggestions.suggestions(for: "os"))")
print("superseded: \(await superseded.result)")
print(try await Shop().buy("coffee"))
print(try await client.ask(all: ["three", "four"]))
client.received(socket.lastID + 1, "what?")
let listener = Listener()
let server = Server(listener)
listener.start()
print(try await server.port(), await server.waitForStart())
let gallery = Gallery()
async let image = gallery.image("sea")
async let sameImage = gallery.image("sea")
print(try await image, try await sameImage)

// The SDKs.

/// From before Swift 6: neither `Sendable` nor on an actor.
nonisolated protocol CentralDelegate: AnyObject {
  func centralDidUpdateState(_ central: Central)
  func central(_ central: Central, didConnect peripheral: Peripheral)
  func central(_ central: Central, didFail peripheral: Peripheral, error: any Error)
  func central(_ central: Central, didDisconnect peripheral: Peripheral)
  func centralDidReset(_ central: Central, error: any Error)
}

nonisolated final class Peripheral {
  let id: String
  init(_ id: String) { self.id = id }
}

nonisolated final class Central {
  weak var delegate: (any CentralDelegate)?
  let isPoweredOn = true

  func connect(_ peripheral: Peripheral) {
    delegate?.central(self, didConnect: peripheral)
  }

  func cancelConnection(_ peripheral: Peripheral) {
    delegate?.central(self, didDisconnect: peripheral)
  }
}

nonisolated final class Socket: Sendable {
  private let message = Mutex<@Sendable (Int, String) -> Void>({ _, _ in })
  private let last = Atomic(0)

  func onMessage(_ handler: @escaping @Sendable (Int, String) -> Void) {
    message.withLock { $0 = handler }
  }

  func onClose(_ handler: @escaping @Sendable (any Error) -> Void) {}

  func nextID() -> Int { last.add(1, ordering: .relaxed).newValue }
  var lastID: Int { last.load(ordering: .relaxed) }

  func write(_ ids: [Int], _ texts: [String]) {
    for (id, text) in zip(ids, texts) { write(id, text) }
  }

  func write(_ id: Int, _ text: String) {
    DispatchQueue.global().async { self.message.withLock { $0 }(id, "answer to \(text)") }
  }

  func send(_ id: Int, _ text: String) async throws { write(id, text) }
}

nonisolated final class Countdown: Sendable {
  private let left: Atomic<Int>

  init(from count: Int) { left = Atomic(count) }

  func next() -> Int { left.subtract(1, ordering: .acquiringAndReleasing).newValue }
}

@MainActor
final class Listener {
  private var ready: @Sendable (Int) -> Void = { _ in }

  func onReady(_ handler: @escaping @Sendable (Int) -> Void) { ready = handler }
  func onFailure(_ handler: @escaping @Sendable (any Error) -> Void) {}
  func start() { ready(8080) }
}

@MainActor
final class ImageSDK {
  func load(_ name: String, _ completion: @escaping @Sendable (Result<String, any Error>) -> Void) {
    DispatchQueue.global().async { completion(.success("\(name).jpeg")) }
  }
}

@MainActor
final class Index {
  private var handler: @Sendable (Int, [String]) -> Void = { _, _ in }
  private var last = 0

  func onResult(_ handler: @escaping @Sendable (Int, [String]) -> Void) { self.handler = handler }

  func search(_ text: String) -> Int {
    last += 1
    handler(last, ["Ada", "Alan"])  // Before it returns.
    return last
  }

  func stop(_ number: Int) {}
}

@MainActor
final class Link {
  private var value: @Sendable (String, Result<[UInt8], any Error>) -> Void = { _, _ in }
  private(set) var reads: [String] = []
  private var last: UInt8 = 60

  func onValue(_ handler: @escaping @Sendable (String, Result<[UInt8], any Error>) -> Void) {
    value = handler
  }

  func onLoss(_ handler: @escaping @Sendable (any Error) -> Void) {}

  func read(_ characteristic: String) { reads.append(characteristic) }

  func answer() {
    last += 1
    value(reads.removeFirst(), .success([last]))
  }
}

@MainActor
final class Completer {
  var onResults: @Sendable ([String]) -> Void = { _ in }
  var query = "" {
    didSet { if query != "" { onResults([query + "lo"]) } }
  }
}

@MainActor
final class PurchaseQueue {
  var observer: @Sendable (Result<String, any Error>) -> Void = { _ in }

  func add(_ product: String) {
    let observer = observer
    DispatchQueue.global().async { observer(.success("receipt for \(product)")) }
  }
}
