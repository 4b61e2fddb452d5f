import CooperativeCancellation
import Foundation
import Testing

/// An SDK in the style of Objective-C: `NSError`, and completions that are not `@Sendable`.
final class ObjectiveCStyleSDK {
  func text(_ completion: @escaping (String?, NSError?) -> Void) { completion("text", nil) }
  func save(_ completion: @escaping (NSError?) -> Void) { completion(nil) }
  func isReady(_ completion: @escaping (Bool, NSError?) -> Void) { completion(true, nil) }

  func page(_ completion: @escaping (String?, Int?, NSError?) -> Void) {
    completion(nil, nil, NSError(domain: "page", code: 404))
  }
}

@Suite("Call sites, with an SDK in the style of Objective-C")
@MainActor
struct ObjectiveCStyleCallSiteTests {
  let sdk = ObjectiveCStyleSDK()

  @Test func `each gives what the SDK reports`() async throws {
    #expect(try await withAsyncThrowingValue { sdk.text($0) } == "text")
    #expect(try await withAsyncThrowingValue(in: sdk.isReady))
    try await withAsyncThrowingValue { sdk.save($0) }
    let error = await #expect(throws: NSError.self) {
      _ = try await withAsyncThrowingValue { sdk.page($0) }
    }
    #expect(error?.code == 404)
  }

  @Test func `a closure in parentheses may switch over the answer, and bring an error of its own`()
    async throws
  {
    struct NotSaved: Error {}
    try await withAsyncThrowingValue(in: { completion in
      sdk.save { error in
        switch error {
        case .none: completion(.success)
        case .some: completion(.failure(NotSaved()))
        }
      }
    })
  }
}
