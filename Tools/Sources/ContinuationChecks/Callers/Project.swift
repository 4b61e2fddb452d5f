import SwiftParser
import SwiftSyntax

/// All files in which callers may stand. They are found by name, so a common name finds more than
/// the calls of one function.
public struct Project {
  private let findPaths: () -> [String]
  private let read: (String) -> String?

  /// Callers further away than this are not looked for.
  private static let maximumDistance = 4

  /// The paths are asked for only if a finding depends on callers.
  public init(paths: @autoclosure @escaping () -> [String], read: @escaping (String) -> String?) {
    (findPaths, self.read) = (paths, read)
  }

  /// The findings, each with a caller that makes it a mistake, or as a debatable one.
  public func judge(_ findings: [Finding]) -> [Finding] {
    if findings.allSatisfy({ $0.depends == .yes() }) { return findings }
    let paths = findPaths()
    let asked = Set(findings.compactMap(\.depends.question))
    var callers = Callers()
    var next = asked
    for _ in 0..<Self.maximumDistance where !next.isEmpty {
      visit(next, in: paths, &callers)
      next = callers.open(from: asked)
    }
    let functions = callers.functions.union(findings.flatMap(\.depends.functions))
    callers.used = paths.reduce(into: []) { $0.formUnion(read($1)?.names(in: functions) ?? []) }
    return findings.map { finding in
      var finding = finding
      switch finding.depends {
      case .yes(let functions): if !callers.isUsed(functions) { finding.doubt() }
      case .no: finding.doubt()
      case .ask(let question):
        switch callers.caller(for: question) {
        case nil: finding.doubt()
        case .elsewhere: break
        case .at(let path, let line): finding.message += "; see its caller in \(path):\(line)"
        }
      }
      return finding
    }
  }

  private func visit(_ questions: Set<Question>, in paths: [String], _ callers: inout Callers) {
    let byName = Dictionary(grouping: questions, by: \.declaration.name)
    for question in questions { callers.answers[question] = [] }
    for path in paths {
      guard let source = read(path), !source.names(in: Set(byName.keys)).isEmpty else { continue }
      let tree = Parser.parse(source: source, maximumNesting: Report.maximumNesting)
      let places = tree.all(DeclReferenceExprSyntax.self)
        .filter { byName[$0.baseName.text] != nil }
      guard !places.isEmpty else { continue }
      let file = SourceFile(tree)
      if file.isTest { continue }
      let converter = SourceLocationConverter(fileName: "", tree: tree)
      for place in places where !place.isInFake {
        for question in byName[place.baseName.text] ?? [] {
          guard let answer = question.answer(at: place, in: file) else { continue }
          let line = converter.location(for: place.start).line
          let isLikely = question.declaration.isLikely(at: place)
          callers.answers[question]?.append(
            Callers.Found(caller: .at(path: path, line: line), isLikely: isLikely, answer: answer)
          )
        }
      }
    }
  }
}

/// What is known about the callers of functions.
private struct Callers {
  enum Caller {
    case at(path: String, line: Int)
    /// In code that is not here, which calls what is public, or what a protocol of it requires.
    case elsewhere
  }

  struct Found {
    let caller: Caller
    /// The others may call another function with the same name.
    let isLikely: Bool
    let answer: Answer
  }

  var answers: [Question: [Found]] = [:]
  /// The functions that something names. Until that is known, those count that nothing may name.
  var used: Set<String>?

  var functions: Set<String> { Set(answers.values.joined().flatMap(\.answer.functions)) }

  func isUsed(_ functions: Set<String>) -> Bool {
    functions.isEmpty || used.map { !$0.isDisjoint(with: functions) } != false
  }

  /// The next questions behind those that have no answer yet.
  func open(from questions: Set<Question>) -> Set<Question> {
    var (open, seen) = (Set<Question>(), Set<Question>())
    for question in questions where caller(for: question) == nil {
      var left = [question]
      while let question = left.popLast() {
        guard seen.insert(question).inserted else { continue }
        if answers[question] == nil { open.insert(question) }
        left += relevant(question).compactMap(\.answer.question)
      }
    }
    return open
  }

  func caller(for question: Question) -> Caller? {
    var seen: Set<Question> = []
    return caller(for: question, &seen)
  }

  private func caller(for question: Question, _ seen: inout Set<Question>) -> Caller? {
    guard seen.insert(question).inserted else { return nil }
    if question.isForOthers { return .elsewhere }
    if answers[question]?.isEmpty == true, question.declaration.mayBeRequired { return .elsewhere }
    for found in relevant(question) {
      switch found.answer {
      case .yes(let functions): if isUsed(functions) { return found.caller }
      case .no: continue
      case .ask(let next): if caller(for: next, &seen) != nil { return found.caller }
      }
    }
    return nil
  }

  private func relevant(_ question: Question) -> [Found] {
    // A function that calls another one of its name, in another type, is no caller of itself.
    let all = (answers[question] ?? []).filter { $0.answer.question != question }
    let likely = all.filter(\.isLikely)
    return likely.isEmpty ? all : likely
  }
}

extension Answer {
  fileprivate var question: Question? {
    if case .ask(let question) = self { question } else { nil }
  }

  fileprivate var functions: Set<String> {
    if case .yes(let functions) = self { functions } else { [] }
  }
}

extension String {
  /// Those of the names that stand in this text, other than after `func`.
  fileprivate func names(in wanted: Set<String>) -> Set<String> {
    let byHash = Dictionary(grouping: wanted) { $0.utf8.reduce(0, Self.hash) }
    var source = self
    return source.withUTF8 { bytes in
      var found: Set<String> = []
      var (hash, isDeclared, start) = (0, false, -1)
      // A line that is a comment names nothing.
      var (isAtStart, isComment) = (true, false)
      for index in 0...bytes.count {
        var byte = index < bytes.count ? bytes[index] : 0
        if byte == UInt8(ascii: "\n") { (isAtStart, isComment) = (true, false) }
        if isAtStart, bytes[index...].prefix(2).elementsEqual("//".utf8) { isComment = true }
        if byte > UInt8(ascii: " ") { isAtStart = false }
        if isComment { byte = 0 }
        if Self.isPartOfName(byte) {
          if start < 0 { start = index }
          hash = Self.hash(hash, byte)
        } else if start >= 0 {
          if let names = byHash[hash], !isDeclared {
            found.formUnion(names.filter { $0.utf8.elementsEqual(bytes[start..<index]) })
          }
          isDeclared = hash == Self.declaring
          (hash, start) = (0, -1)
        }
      }
      return found
    }
  }

  private static let declaring = "func".utf8.reduce(0, hash)

  private static func hash(_ hash: Int, _ byte: UInt8) -> Int { hash &* 31 &+ Int(byte) &+ 1 }

  private static func isPartOfName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 128...255:
      true
    default: false
    }
  }
}
