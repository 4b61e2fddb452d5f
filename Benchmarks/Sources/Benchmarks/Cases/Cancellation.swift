import CooperativeCancellation
import LegacySDK

extension [Comparison] {
  static func cancellation(on loop: Loop) -> [Comparison] {
    let sdk = LegacySDK(calls: .onDemand)
    return [
      Comparison(
        "cancelled while waiting",
        to: "handler + checked continuation",
        goal: .atMost(1.25),
        on: loop
      ) {
        await cancelWaits($0) { await wait(for: sdk) }
        sdk.callBack()
      } against: {
        await cancelWaits($0) { await waitByHand(for: sdk) }
        sdk.callBack()
      }
    ]
  }
}

/// Lets that many tasks wait and cancels them.
private func cancelWaits(_ count: Int, _ wait: @escaping @Sendable () async -> Void) async {
  await withTaskGroup(of: Void.self) { group in
    for _ in 0..<count { group.addTask { await wait() } }
    await Task.yield()  // On one thread, in order: now all wait.
    group.cancelAll()
  }
}
