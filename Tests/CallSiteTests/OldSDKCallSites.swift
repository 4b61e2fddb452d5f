import CooperativeCancellation
@preconcurrency import OldSDK
import Testing

@MainActor
final class OldSDKCallsOfTheMainActor {
  private let sdk = OldUploader()
  private var calls = 0

  func upload() async throws -> Int {
    try await withAsyncThrowingValue { completion in
      calls += 1
      return LateRequest(cancel: { $0.cancel() }) { arrived in
        sdk.upload("file", taskHandler: { @Sendable in arrived($0) }, completion: completion)
      }
    } onCancel: {
      $0.cancel()
    }
  }
}

actor OldSDKCallsOfAnActor {
  private let sdk = OldUploader()
  private var calls = 0

  func upload() async throws -> Int {
    try await withAsyncThrowingValue { completion in
      calls += 1
      return LateRequest(cancel: { $0.cancel() }) { arrived in
        sdk.upload("file", taskHandler: { @Sendable in arrived($0) }, completion: completion)
      }
    } onCancel: {
      $0.cancel()
    }
  }
}

nonisolated func oldUpload() async throws -> Int {
  let sdk = OldUploader()
  return try await withAsyncThrowingValue { completion in
    LateRequest(cancel: { $0.cancel() }) { arrived in
      sdk.upload("file", taskHandler: { @Sendable in arrived($0) }, completion: completion)
    }
  } onCancel: {
    $0.cancel()
  }
}

/// A request that is not `Sendable`, from an SDK that says nothing about threads.
@Suite("Call sites, with an SDK from before Swift 6", .watchdog)
struct OldSDKCallSiteTests {
  @Test
  func `the SDK hands over its request, and answers`() async throws {
    #expect(try await OldSDKCallsOfTheMainActor().upload() == 4)
    #expect(try await OldSDKCallsOfAnActor().upload() == 4)
    #expect(try await oldUpload() == 4)
  }

  @Test
  func `a cancelled call ends`() async {
    for _ in 0..<100 {
      let task = Task { try await OldSDKCallsOfTheMainActor().upload() }
      await Task.yield()
      task.cancel()
      let result = await task.result
      if case .failure(let error) = result { #expect(error is CancellationError) }
    }
  }
}
