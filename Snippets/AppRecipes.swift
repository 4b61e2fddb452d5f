// What an app needs around its calls: the code of the page "Recipes for apps".

import CooperativeCancellation
import Dispatch

protocol ProfileService: Sendable {
  func profile(_ id: Int) async throws -> Profile
}

/// For tests and previews.
struct FakeProfileService: ProfileService {
  var answer: @Sendable (Int) async throws -> Profile

  func profile(_ id: Int) async throws -> Profile {
    try checkpoint()
    let profile = try await answer(id)
    try checkpoint()
    return profile
  }
}

@MainActor
final class Shop {
  let sdk = PaymentSDK()
  private(set) var receipts: [Receipt] = []

  func pay(_ amount: Int) async throws {
    let receipt = try await withAsyncThrowingValue(whenCancelled: .deliverResult) { completion in
      sdk.charge(amount, completion: completion)
    } onCancel: { charge in
      charge.cancel()
    }
    receipts.append(receipt)
  }

  func openConnection() async throws -> Connection {
    try await withAsyncThrowingValue { completion in
      sdk.connect(completion)
    } onDiscard: { connection in
      connection.close()
    }
  }

  func prices() async throws -> [Int] {
    try await withAsyncThrowingValue(timeout: .seconds(5)) { completion in
      sdk.loadPrices(completion)
    } onCancel: { request in
      request.cancel()
    }
  }

  func pricesWithRetries() async throws -> [Int] {
    var pause = Duration.milliseconds(500)
    for _ in 1..<3 {
      do {
        return try await prices()
      } catch is TimeoutError {
        try await Task.sleep(for: pause)
        pause *= 2
      }
    }
    return try await prices()
  }

  func loadPrices(_ completion: @escaping (Result<[Int], any Error>) -> Void) -> AnyTask {
    AnyTask(
      Task {
        do { completion(.success(try await prices())) } catch { completion(.failure(error)) }
      }
    )
  }
}

@MainActor
final class Checksums {
  private let queue = DispatchQueue(label: "Checksums")

  func checksum(of name: String) async throws -> Int {
    try await withAsyncThrowingValue { completion in
      let item = DispatchWorkItem { @Sendable in completion(slowChecksum(of: name)) }
      queue.async(execute: item)
      return item
    } onCancel: { item in
      item.cancel()
    }
  }

  func waitForAll(in group: DispatchGroup) async throws {
    try await withAsyncThrowingValue { completion in
      group.notify(queue: queue, execute: completion)
    }
  }
}

@MainActor
final class Store {
  private let database = SharedDatabase()
  private let statement = PendingCall<[String]>()
  private var latest = 0

  func rows(_ sql: String) async throws -> [String] {
    try await statement.value {
      latest += 1
      database.run(sql) { @Sendable [statement] result in statement.resume(with: result) }
      return latest
    } onCancel: { number in
      // Otherwise this statement has ended, and the next one is running.
      if number == latest { database.interrupt() }
    }
  }
}

actor Album {
  private(set) var photos: [Int: String] = [:]
  private var lastNumber = 0

  func add(_ names: [String]) async throws {
    var added: [Int] = []
    try await withCancellationCleanup {
      for name in names {
        try checkpoint()
        await upload(name)
        lastNumber += 1
        photos[lastNumber] = name
        added.append(lastNumber)
      }
    } cleanup: {
      for number in added { self.photos[number] = nil }
    }
  }
}

@MainActor
final class Outbox {
  private let letters = AsyncStream.makeStream(of: String.self)
  private let bag = TaskBag()

  init() {
    bag.add { [stream = letters.stream] in
      for await letter in stream { await send(letter) }
    }
  }

  func add(_ letter: String) { letters.continuation.yield(letter) }
}

// MARK: - What they do

#if !TESTS
  @main
#endif
enum Snippet {
  @MainActor static func main() async throws {
    let log = Log()
    RuntimeIssue.handler = { report in
      log.report("\(report)")
      assert(report.kind != .completionCalledAgain, "\(report)")
    }

    let fake: any ProfileService = FakeProfileService { Profile(name: "Fake \($0)") }
    print("fake:", try await fake.profile(1).name)

    sdkQueue.suspend()
    let shop = Shop()
    let payment = Task { try await shop.pay(10) }
    let connection = Task { try await shop.openConnection() }
    await Task.yield()  // All run on the main actor, so the SDK has been called now.
    payment.cancel()
    connection.cancel()
    print("connection, cancelled:", await connection.result)
    sdkQueue.resume()  // From now on, the SDK answers.
    try await payment.value
    print("payment, cancelled:", shop.receipts.count, "receipt")
    print("prices:", try await shop.pricesWithRetries())
    let loading = shop.loadPrices { print("for a caller with a callback:", $0) }
    while !loading.isCancelled { loading.cancel() }

    let checksums = Checksums()
    print("checksum:", try await checksums.checksum(of: "notes"))
    try await checksums.waitForAll(in: DispatchGroup())

    sdkQueue.suspend()
    let store = Store()
    let statements = ["a", "b", "c"].map { sql in Task { try await store.rows(sql) } }
    await Task.yield()  // The statement a is running; b and c wait for their turns.
    statements[1].cancel()
    print("rows of b, cancelled:", await statements[1].result)
    statements[0].cancel()
    print("rows of a, cancelled:", await statements[0].result)
    sdkQueue.resume()  // From now on, the database answers.
    print("rows of c:", try await statements[2].value)

    let album = Album()
    try await album.add(["wood"])
    let addition = Task { try await album.add(["sea", "hill", "lake"]) }
    print("album:", await addition.result, await album.photos.values)

    let outbox = Outbox()
    for letter in ["first", "second"] { outbox.add(letter) }
    while sent.count < 2 { await Task.yield() }
    print("sent in order:", sent)
  }
}

// MARK: - The SDKs

typealias Handler<Value> = @Sendable (Result<Value, any Error>) -> Void

struct Log {
  func report(_ text: String) { print("misuse:", text) }
}

struct Profile: Sendable { let name: String }
struct Receipt: Sendable { let amount: Int }

final class Connection: Sendable {
  func close() { print("  the connection was closed") }
}

struct SDKError: Error {}

let sdkQueue = DispatchQueue(label: "SDK")

#if !TESTS
  /// Not `Sendable`, as the requests of SDKs usually are.
  final class SDKRequest {
    init(_ answer: @escaping @Sendable (_ succeeds: Bool) -> Void) {
      sdkQueue.async { answer(true) }
    }

    func cancel() { print("  the SDK was told to cancel") }
  }
#endif

final class PaymentSDK {
  func connect(_ completion: @escaping Handler<Connection>) {
    _ = SDKRequest { completion($0 ? .success(Connection()) : .failure(SDKError())) }
  }

  func charge(
    _ amount: Int,
    completion: @escaping @Sendable (Receipt?, (any Error)?) -> Void
  ) -> SDKRequest {
    SDKRequest { $0 ? completion(Receipt(amount: amount), nil) : completion(nil, SDKError()) }
  }

  func loadPrices(_ completion: @escaping Handler<[Int]>) -> SDKRequest {
    SDKRequest { completion($0 ? .success([10, 20]) : .failure(SDKError())) }
  }
}

func slowChecksum(of name: String) -> Int { name.utf8.count }

@MainActor var sent: [String] = []
@MainActor func send(_ letter: String) async { sent.append(letter) }

func upload(_ name: String) async {
  if name == "hill" { withUnsafeCurrentTask { $0?.cancel() } }
}

/// Runs one statement after the other; `interrupt()` ends the one that runs, whoever made it.
final class SharedDatabase {
  private var running: SDKRequest?

  func run(_ sql: String, completion: @escaping Handler<[String]>) {
    running = SDKRequest { completion($0 ? .success(["row of \(sql)"]) : .failure(SDKError())) }
  }

  func interrupt() { running?.cancel() }
}
