import SwiftSyntax

/// What is wrong with a callback. Each check declares its own.
public struct Kind: Hashable, Sendable {
  public let name: String
  /// The authors may have intended what is found, so it is reported only with `--all`.
  public let isDebatable: Bool

  /// The kind of findings that may be mistakes of this kind.
  public var debatable: Kind? { Kind.all.first { $0.name == "maybe-\(name)" } }

  init(_ name: String, isDebatable: Bool = false) {
    (self.name, self.isDebatable) = (name, isDebatable)
  }

  public static let all =
    checks.flatMap { $0.kinds }.reduce(into: []) { kinds, kind in
      if !kinds.contains(kind) { kinds.append(kind) }
    } + [uselessComment]
}

public struct Finding: Hashable, Sendable {
  public internal(set) var kind: Kind
  public internal(set) var message: String
  public internal(set) var line = 0
  public internal(set) var column = 0
  /// What stands in the line, without the spaces around it.
  public internal(set) var text = ""

  let position: AbsolutePosition
  /// The place that the mistake needs as well: `#` in the message becomes its line.
  let second: AbsolutePosition?
  /// Whether it is a mistake, as far as its file tells.
  let depends: Answer

  init(
    _ kind: Kind,
    at position: AbsolutePosition,
    _ message: String,
    second: AbsolutePosition? = nil,
    if depends: Answer = .yes()
  ) {
    (self.kind, self.message, self.position, self.second) = (kind, message, position, second)
    self.depends = depends
  }

  func depending(on answer: Answer) -> Finding {
    Finding(kind, at: position, message, second: second, if: answer)
  }

  /// Nothing in the project makes a mistake of it.
  mutating func doubt() { kind = kind.debatable ?? kind }
}
