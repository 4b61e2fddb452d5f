// What an app needs around its calls: the code of the page "Recipes for apps".

import CooperativeCancellation
import Dispatch

// snippet.protocol
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
// snippet.end

// snippet.live
@MainActor
final class SDKProfileService: ProfileService {
  private let sdk = ProfileSDK()

  func profile(_ id: Int) async throws -> Profile {
    try await withAsyncThrowingValue { completion in
      sdk.loadProfile(id, completion: completion)
    } onCancel: { request in
      request.cancel()
    }
  }
}
// snippet.end

@MainActor
final class Shop {
  private let sdk = PaymentSDK()
  private var receipts: [Receipt] = []

  // snippet.pay
  func pay(_ amount: Int) async throws {
    let receipt = try await withAsyncThrowingValue(whenCancelled: .deliverResult) { completion in
      sdk.charge(amount, completion: completion)
    } onCancel: { charge in
      charge.cancel()
    }
    receipts.append(receipt)
  }
  // snippet.end

  // snippet.connection
  func openConnection() async throws -> Connection {
    try await withAsyncThrowingValue { completion in
      sdk.connect(completion)
    } onDiscard: { connection in
      connection.close()
    }
  }
  // snippet.end

  // snippet.timeout
  func prices() async throws -> [Int] {
    try await withAsyncThrowingValue(timeout: .seconds(5)) { completion in
      sdk.loadPrices(completion)
    } onCancel: { request in
      request.cancel()
    }
  }
  // snippet.end

  // snippet.retry
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
  // snippet.end

  var receiptCount: Int { receipts.count }
  var queue: DispatchQueue { sdk.queue }
}

// MARK: - How they behave

let log = Log()
// snippet.misuse
MisuseReport.handler = { report in
  log.report("\(report)")
  assert(report.kind != .completionCalledAgain, "\(report)")
}
// snippet.end

let live: any ProfileService = SDKProfileService()
print("live:", try await live.profile(1).name)
let fake: any ProfileService = FakeProfileService { Profile(name: "Fake \($0)") }
print("fake:", try await fake.profile(1).name)

let shop = Shop()
let payment = Task { try await shop.pay(10) }
let connection = Task { try await shop.openConnection() }
await Task.yield()  // All run on the main actor, so the SDK has been called now.
payment.cancel()
connection.cancel()
print("connection, cancelled:", await connection.result)
shop.queue.activate()  // Only now does the SDK answer.
try await payment.value
print("payment, cancelled:", shop.receiptCount, "receipt")
print("prices:", try await shop.pricesWithRetries())

// MARK: - SDKs that cannot be changed

struct Log {
  func report(_ text: String) { print("misuse:", text) }
}

struct Profile: Sendable {
  let name: String
}

struct Receipt: Sendable {
  let amount: Int
}

final class Connection: Sendable {
  func close() { print("  the connection was closed") }
}

/// Not `Sendable`, as the requests of SDKs usually are.
final class SDKRequest {
  func cancel() { print("  the SDK was told to cancel") }
}

final class ProfileSDK {
  func loadProfile(
    _ id: Int,
    completion: @escaping @Sendable (Result<Profile, any Error>) -> Void
  ) -> SDKRequest {
    DispatchQueue.global().async { completion(.success(Profile(name: "Ann"))) }
    return SDKRequest()
  }
}

final class PaymentSDK {
  let queue = DispatchQueue(label: "PaymentSDK", attributes: .initiallyInactive)

  func connect(_ completion: @escaping @Sendable (Result<Connection, any Error>) -> Void) {
    queue.async { completion(.success(Connection())) }
  }

  func charge(
    _ amount: Int,
    completion: @escaping @Sendable (Receipt?, (any Error)?) -> Void
  ) -> SDKRequest {
    queue.async { completion(Receipt(amount: amount), nil) }
    return SDKRequest()
  }

  func loadPrices(
    _ completion: @escaping @Sendable (Result<[Int], any Error>) -> Void
  ) -> SDKRequest {
    queue.async { completion(.success([10, 20])) }
    return SDKRequest()
  }
}
