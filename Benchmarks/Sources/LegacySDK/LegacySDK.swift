public enum SDKError: Error {
  case failed
}

/// An SDK with a method for each completion shape, which always reports 1.
public final class LegacySDK: Sendable {
  /// When it calls back.
  public enum Manner: Sendable {
    /// Before the method returns.
    case atOnce
    /// When the loop is idle.
    case when(idle: Loop)
    /// When ``callBack()`` is called.
    case onDemand
  }

  private let manner: Manner
  private let kept = Queue<@Sendable () -> Void>()

  public init(calls manner: Manner) { self.manner = manner }

  /// Calls all kept completions.
  public func callBack() { kept.takeAll { $0() } }

  // The closure is made where it is kept, and inlined where it is called at once. The SDK then
  // allocates nothing, so only the allocations of the wrapper are measured.
  @inline(__always)
  private func reply(_ callback: @autoclosure () -> @Sendable () -> Void) {
    switch manner {
    case .atOnce: callback()()
    case .when(let loop): loop.callLater(callback())
    case .onDemand: kept.append(callback())
    }
  }
}

extension LegacySDK {
  public func result(_ completion: @escaping @Sendable (Result<Int, any Error>) -> Void) {
    reply({ completion(.success(1)) })
  }

  public func valueAndError(_ completion: @escaping @Sendable (Int?, (any Error)?) -> Void) {
    reply({ completion(1, nil) })
  }

  public func successOrFailure(
    _ success: @escaping @Sendable (Int) -> Void,
    _ failure: @escaping @Sendable (any Error) -> Void
  ) {
    reply({ success(1) })
  }
}
