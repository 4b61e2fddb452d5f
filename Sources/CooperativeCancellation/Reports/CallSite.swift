/// The place in the source code of a call to this library.
///
/// Errors and reports contain it, because the call stack no longer shows the call when the library notices a mistake.
@frozen
public struct CallSite: Sendable, Hashable, CustomStringConvertible {
  /// The module and file of the call, as `#fileID` gives it: `"App/UserService.swift"`.
  public var fileID: String { "\(file.name)" }

  /// The line of the call, counted from 1.
  public let line: UInt

  @usableFromInline let file: FileID

  @inlinable
  package init(fileID: StaticString = #fileID, line: UInt = #line) {
    self.file = FileID(fileID)
    self.line = line
  }

  /// The call site as compilers write it: `"App/UserService.swift:42"`.
  public var description: String { "\(file.name):\(line)" }
}

/// A file's name, as a `StaticString`, which costs nothing on each call. The `String` is created only for a report.
@frozen
@usableFromInline
struct FileID: Sendable, Hashable {
  @usableFromInline let name: StaticString

  @inlinable
  init(_ name: StaticString) {
    self.name = name
  }

  @usableFromInline
  static func == (left: FileID, right: FileID) -> Bool { "\(left.name)" == "\(right.name)" }

  @usableFromInline
  func hash(into hasher: inout Hasher) { hasher.combine("\(name)") }
}
