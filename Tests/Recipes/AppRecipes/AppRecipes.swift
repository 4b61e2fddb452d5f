// The code of the page "Recipes for apps".

import CooperativeCancellation
import Dispatch
import PendingAnswers
import TaskBags

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

  func pricesWithRetries(clock: any Clock<Duration> = ContinuousClock()) async throws -> [Int] {
    var pause = Duration.milliseconds(500)
    for _ in 1..<3 {
      do {
        return try await prices()
      } catch is ServerBusy, is TimeoutError {
        try await clock.sleep(for: pause)
        pause *= 2
      }
    }
    return try await prices()
  }

  func pictures(of articles: [Int]) async throws -> [Int: Picture] {
    try await withThrowingTaskGroup(of: (Int, Picture).self) { group in
      var pictures: [Int: Picture] = [:]
      for (index, article) in articles.enumerated() {
        // From the fourth on, a task begins when another one has ended.
        if index >= 3, let (finished, picture) = try await group.next() {
          pictures[finished] = picture
        }
        group.addTask { (article, try await self.picture(of: article)) }
      }
      for try await (finished, picture) in group { pictures[finished] = picture }
      return pictures
    }
  }

  func picture(of article: Int) async throws -> Picture {
    try await withAsyncThrowingValue { completion in
      sdk.loadPicture(of: article, completion)
    } onCancel: { request in
      request.cancel()
    }
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
final class Store {
  private let database = SharedDatabase()
  private let statement = PendingCall<[String]>()

  func rows(_ sql: String) async throws -> [String] {
    try await statement.value {
      database.run(sql) { @Sendable [statement] result in statement.resume(with: result) }
    } onCancel: {
      database.interrupt()
    }
  }
}

nonisolated final class Archive: Sendable {
  private let queue = DispatchQueue(label: "archive")

  func compress(_ file: String) async throws -> Int {
    try await withCancellationFlag { flag in
      try await withAsyncThrowingValue(whenCancelled: .waitForCallback) { completion in
        queue.async {
          completion(Result { try compressSlowly(file, shouldStop: { flag.isCancelled }) })
        }
      }
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

// MARK: - The SDKs

let log = Log()

func logMisuse() {
  RuntimeIssue.handler = { report in
    log.report("\(report)")
    assert(report.kind != .completionCalledAgain, "\(report)")
  }
}

struct Log {
  func report(_ text: String) { print("misuse:", text) }
}

struct Receipt: Sendable { let amount: Int }
struct Picture: Sendable, Equatable { let article: Int }
struct ServerBusy: Error {}
struct Stopped: Error {}

final class Connection: Sendable {
  func close() {}
}

final class PaymentSDK {
  func connect(_ completion: @escaping Handler<Connection>) {
    _ = SDKRequest(Connection(), completion)
  }

  func charge(
    _ amount: Int,
    completion: @escaping Pair<Receipt>
  ) -> SDKRequest {
    SDKRequest(Receipt(amount: amount), completion)
  }

  func loadPrices(_ completion: @escaping Handler<[Int]>) -> SDKRequest {
    SDKRequest([10, 20], completion)
  }

  func loadPicture(of article: Int, _ completion: @escaping Handler<Picture>) -> SDKRequest {
    SDKRequest(Picture(article: article), completion)
  }
}

/// Blocks its thread, and asks whether to go on.
func compressSlowly(_ file: String, shouldStop: () -> Bool) throws -> Int {
  repeat {
    if shouldStop() { throw Stopped() }
  } while file == "endless"
  return file.utf8.count
}

func send(_ letter: String) async {}

/// Runs one statement after the other; `interrupt()` ends the one that runs, whoever made it.
final class SharedDatabase {
  private var running: SDKRequest?

  func run(_ sql: String, completion: @escaping Handler<[String]>) {
    running = SDKRequest(["row of \(sql)"], completion)
  }

  func interrupt() { running?.cancel() }
}
