/// The place in the source code of a call to this library.
///
/// Errors and reports contain it, because the call stack no longer shows the call when the library notices a mistake.
@frozen
public struct CallSite: Sendable, Hashable, CustomStringConvertible {
  /// The module and file of the call, as `#fileID` gives it: `"App/UserService.swift"`.
  public var fileID: String { "\(file)" }

  /// The line of the call, counted from 1.
  public let line: UInt

  // A `StaticString` costs nothing on each call. The `String` is created only for a report.
  @usableFromInline let file: StaticString

  @_alwaysEmitIntoClient
  package init(fileID: StaticString = #fileID, line: UInt = #line) {
    file = fileID
    self.line = line
  }

  /// The call site as compilers write it: `"App/UserService.swift:42"`.
  public var description: String { "\(file):\(line)" }

  /// Two are equal if they are the same line of the same file.
  public static func == (left: CallSite, right: CallSite) -> Bool {
    left.line == right.line && left.fileID == right.fileID
  }

  /// Hashes the file and the line.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(fileID)
    hasher.combine(line)
  }
}
