// Values that must not be lost, and results that must be known.

import CooperativeCancellation
import Dispatch

struct Receipt: Sendable {
  let amount: Int
}

final class Connection: Sendable {
  func close() { print("connection closed") }
}

final class Charge: Sendable {
  func cancel() { print("charge told to stop") }
}

final class PaymentSDK: Sendable {
  let queue = DispatchQueue(label: "PaymentSDK", attributes: .initiallyInactive)

  func connect(_ completion: @escaping @Sendable (Result<Connection, any Error>) -> Void) {
    queue.async { completion(.success(Connection())) }
  }

  func charge(
    _ amount: Int,
    completion: @escaping @Sendable (Receipt?, (any Error)?) -> Void
  ) -> Charge {
    queue.async { completion(Receipt(amount: amount), nil) }
    return Charge()
  }
}

extension PaymentSDK {
  // snippet.responses
  func openConnection() async throws -> Connection {
    try await withAsyncThrowingValue(timeout: .seconds(10)) { completion in
      connect(completion)
    } onDiscard: { connection in
      connection.close()
    }
  }

  func pay(_ amount: Int) async throws -> Receipt {
    try await withAsyncThrowingValue(whenCancelled: .deliverResult) { completion in
      charge(amount, completion: completion)
    } onCancel: { charge in
      charge.cancel()
    }
  }
  // snippet.end
}

let sdk = PaymentSDK()
let connection = Task { try await sdk.openConnection() }
let payment = Task { try await sdk.pay(10) }
try await Task.sleep(for: .milliseconds(100))  // Both wait now.
connection.cancel()
payment.cancel()
print(await connection.result)
sdk.queue.activate()
print(await payment.result)
