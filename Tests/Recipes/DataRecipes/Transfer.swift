// A C callback that returns a value.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CCallbacks
import CooperativeCancellation
import Synchronization

@MainActor
final class Fetcher {
  func size(of address: String) async throws -> Int {
    try await withCancellationFlag { flag in
      try await withAsyncThrowingValue(whenCancelled: .waitForCallback) { completion in
        let context = CallbackContext(isRepeating: true) { (status: Int32, size: Int) -> Int32 in
          switch status {
          case TRANSFER_CONTINUES: break
          case TRANSFER_DONE: completion(.success(size))
          case TRANSFER_ABORTED: completion(.failure(CancellationError()))
          default: completion(.failure(TransferFailed(status: status)))
          }
          return flag.isCancelled ? 1 : 0
        }
        transfer_start(
          address,
          { @Sendable in CallbackContext.call($0, $1, $2, otherwise: 1) },
          context.pointer
        )
        return context
      }
    }
  }
}

struct TransferFailed: Error { let status: Int32 }

// MARK: - The SDK

let abortedTransfers = Atomic(0)

typealias TransferCallback = @convention(c) (UnsafeMutableRawPointer?, Int32, Int) -> Int32

let TRANSFER_DONE: Int32 = 0
let TRANSFER_CONTINUES: Int32 = 1
let TRANSFER_ABORTED: Int32 = 42

/// As libcurl, by its page of `CURLOPT_XFERINFOFUNCTION`: the callback is called again and again,
/// and a result other than zero aborts the transfer, which then still reports its end.
// void transfer_start(const char *address, int (*callback)(void *context, int status, long size),
// void *context);
nonisolated func transfer_start(
  _ address: UnsafePointer<CChar>,
  _ callback: @escaping TransferCallback,
  _ context: UnsafeMutableRawPointer?
) {
  nonisolated(unsafe) let context = context
  _ = SDKRequest { error in
    if callback(context, TRANSFER_CONTINUES, 50) != 0 {
      abortedTransfers.add(1, ordering: .relaxed)
      _ = callback(context, TRANSFER_ABORTED, 50)
    } else {
      _ = callback(context, error == nil ? TRANSFER_DONE : 7, 100)
    }
  }
}
