/// The place in the source code of a call to this library.
///
/// Errors and reports contain it, because the call stack no longer shows the call when the library
/// notices a mistake.
public struct CallSite: Sendable, Hashable, CustomStringConvertible {
  /// The module and file of the call, as `#fileID` gives it: `"App/UserService.swift"`.
  public var fileID: String { "\(file.id)" }

  /// The line of the call, counted from 1.
  public let line: UInt

  // A `StaticString` costs nothing on each call. The `String` is created only for a report.
  @usableFromInline let file: File

  @usableFromInline struct File: Sendable, Hashable {
    @usableFromInline let id: StaticString

    @_alwaysEmitIntoClient
    init(_ id: StaticString) { self.id = id }

    @usableFromInline
    static func == (left: File, right: File) -> Bool { "\(left.id)" == "\(right.id)" }

    @usableFromInline func hash(into hasher: inout Hasher) { hasher.combine("\(id)") }
  }

  /// Creates the place of a call; by default, the place where you write `CallSite()`.
  @_alwaysEmitIntoClient
  public init(fileID: StaticString = #fileID, line: UInt = #line) {
    file = File(fileID)
    self.line = line
  }

  /// The call site as compilers write it: `"App/UserService.swift:42"`.
  public var description: String { "\(file.id):\(line)" }
}
