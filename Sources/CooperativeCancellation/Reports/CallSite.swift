/// The place in the source where a function of this library was called.
///
/// Errors and reports carry it, because by the time that an SDK turns out to have lost a completion
/// the stack no longer says who passed it.
@frozen
public struct CallSite: Sendable, Hashable, CustomStringConvertible {
  /// The module and file of the call, as `#fileID` gives it: `"App/UserService.swift"`.
  public var fileID: String { "\(file)" }

  /// The line of the call, counted from 1.
  public let line: UInt

  // A `StaticString` costs nothing to make on each call; a `String` is made only for a report.
  @usableFromInline let file: StaticString

  /// Names a place in the source; without arguments, the place of this very call.
  @inlinable
  public init(fileID: StaticString = #fileID, line: UInt = #line) {
    self.file = fileID
    self.line = line
  }

  /// The place as compilers write it: `"App/UserService.swift:42"`.
  public var description: String { "\(file):\(line)" }

  /// Two call sites are equal if they name the same line of the same file.
  public static func == (left: CallSite, right: CallSite) -> Bool {
    left.line == right.line && left.fileID == right.fileID
  }

  /// Hashes the file and the line.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(fileID)
    hasher.combine(line)
  }
}
