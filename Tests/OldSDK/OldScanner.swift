/// Reports to a delegate that is not `Sendable`, with values that only it can make.
public final class OldScanner {
  public weak var delegate: OldScannerDelegate?

  public init() {}

  public func start() { delegate?.scanner(self, didFind: OldScan("Ulm")) }
  public func stop() {}
}

public protocol OldScannerDelegate: AnyObject {
  func scanner(_ scanner: OldScanner, didFind scan: OldScan)
}

public final class OldScan {
  public let text: String

  init(_ text: String) {
    self.text = text
  }
}
