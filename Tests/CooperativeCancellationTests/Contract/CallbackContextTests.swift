import CCallbacks
import CooperativeCancellation
import FakeCallbackSDK
import Foundation
import HostileCLibrary
import Testing

/// How often a library of C calls back, and when it destroys the context.
private enum Misbehavior: CaseIterable {
  case none, callsTwice, callsTwiceAtOnce, callsAfterDestroy, onlyDestroys, fails
  /// Also with `NULL`, and with a context that it was not given.
  case callsWithOtherContexts
}

private func fetch(
  _ behavior: Misbehavior,
  _ callback:
    @escaping @convention(c) (UnsafeMutableRawPointer?, Int32, UnsafePointer<CChar>?) -> Void,
  _ context: UnsafeMutableRawPointer
) {
  nonisolated(unsafe) let context = context
  Thread.detachNewThread {
    let call = { @Sendable in "text".withCString { callback(context, 0, $0) } }
    switch behavior {
    case .none: call()
    case .callsTwice: for _ in 1...2 { call() }
    case .callsTwiceAtOnce: raceTwo { _ in call() }
    case .callsAfterDestroy:
      CallbackContext.release(context)
      call()
    case .onlyDestroys: break
    case .fails: callback(context, 7, nil)
    case .callsWithOtherContexts:
      for other in [nil, UnsafeMutableRawPointer(bitPattern: UInt.max)] { callback(other, 0, nil) }
      call()
    }
    CallbackContext.release(context)
  }
}

@Suite("C callbacks", .watchdog) struct CallbackContextTests {
  @Test(arguments: Misbehavior.allCases)
  private func `the first call counts, later ones are harmless, and a destroy before it drops`(
    behavior: Misbehavior
  ) async {
    let line = Reports.shared.uniqueLine()
    let expected: Ending =
      switch behavior {
      case .fails: .failure(.failed)
      case .onlyDestroys, .callsAfterDestroy: .dropped(line: line)
      default: .value("text")
      }
    for _ in 0..<100 {
      let ending = await ending {
        try await withAsyncThrowingValue(line: line) { completion in
          let context = CallbackContext { (status: Int32, text: UnsafePointer<CChar>?) in
            let text = text.map { String(cString: $0) } ?? ""
            completion(status == 0 ? .success(text) : .failure(SDKError.failed))
          }
          fetch(behavior, { @Sendable in CallbackContext.call($0, $1, $2) }, context.pointer)
          return context
        }
      }
      #expect(ending == expected)
    }
  }

  @Test func `a call with other types is reported with both types, and ends the wait`() async {
    let line = Reports.shared.uniqueLine()
    await #expect(throws: DroppedCompletionError.self) {
      try await withAsyncThrowingValue { completion in
        let context = CallbackContext(line: line) { (status: Int64) in completion(.success(status))
        }
        CallbackContext.call(context.pointer, Int32(1))
        CallbackContext.call(context.pointer, Int64(1))
      }
    }
    #expect(Reports.shared.kinds(line: line) == [.contextCalledWithOtherTypes])
    let text = Reports.shared.texts(line: line)[0]
    #expect(text.contains("has the type (Int64) -> (), but was called as (Int32) -> (). The"))
  }

  @Test(arguments: [false, true])
  func `a repeating context, or that of a scope, is released after a call with other types`(
    isScoped: Bool
  ) {
    let line = Reports.shared.uniqueLine()
    let body = { @Sendable (number: Int32) in number + 1 }
    func call(_ context: UnsafeMutableRawPointer) {
      #expect(CallbackContext.call(context, Int32(1), otherwise: Int32(0)) == 2)
      CallbackContext.call(context, Int32(1))  // Only the result differs.
      #expect(CallbackContext.call(context, Int32(1), otherwise: Int32(0)) == 0)
    }
    if isScoped {
      withCallbackContext(body, line: line) { call($0) }
    } else {
      let context = CallbackContext(isRepeating: true, line: line, body)
      call(context.pointer)
      context.release()
    }
    #expect(Reports.shared.kinds(line: line) == [.contextCalledWithOtherTypes])
    let text = Reports.shared.texts(line: line)[0]
    #expect(text.contains("has the type (Int32) -> Int32, but was called as (Int32) -> (). The"))
  }

  @Test func `a scoped context answers inside its scope, and not after it`() throws {
    let flag = CancellationFlag()
    let work = hostile_work
    // int work(int steps, int (*should_stop)(void *context), void *context);
    let done = withCallbackContext({ () -> Int32 in flag.isCancelled ? 1 : 0 }) { context in
      work(1000, { @Sendable in CallbackContext.call($0, otherwise: 1) }, context)
    }
    #expect(done == 1000)
    flag.set()
    let old = withCallbackContext({ () -> Int32 in flag.isCancelled ? 1 : 0 }) { context in
      #expect(work(10, { CallbackContext.call($0, otherwise: 0) }, context) == 0)
      return context
    }
    #expect(hostile_work(10, { CallbackContext.call($0, otherwise: 0) }, old) == 10)
    let leaked = Protected<UInt>(0)
    #expect(throws: SDKError.failed) {
      try withCallbackContext({ () -> Int32 in 1 }) { context in
        leaked.withLock { $0 = UInt(bitPattern: context) }
        throw SDKError.failed
      }
    }
    let pointer = UnsafeMutableRawPointer(bitPattern: leaked.withLock { $0 })
    #expect(CallbackContext.call(pointer, otherwise: 0 as Int32) == 0, "a throw ends the scope too")
  }

  @Test func `a closure may use contexts while it is released`() {
    final class Releaser: Sendable {
      let context = CallbackContext(isRepeating: true) { () -> Int32 in 1 }
      deinit {
        #expect(CallbackContext.call(context.pointer, otherwise: 0 as Int32) == 1)
        context.release()
        #expect(CallbackContext.call(context.pointer, otherwise: 0 as Int32) == 0)
        // Takes the lock of each part of the table, because the context may be in another one than
        // the closure.
        _ = ContextTable.count(at: CallSite())
      }
    }
    let context = CallbackContext { [releaser = Releaser()] () -> Int32 in
      CallbackContext.call(releaser.context.pointer, otherwise: 0)
    }
    #expect(CallbackContext.call(context.pointer, otherwise: 0 as Int32) == 1)
    #expect(CallbackContext.call(context.pointer, otherwise: 0 as Int32) == 0)
    // Not called, but released: the last reference goes in `release()`.
    CallbackContext { [releaser = Releaser()] in _ = releaser }.release()
  }
}
