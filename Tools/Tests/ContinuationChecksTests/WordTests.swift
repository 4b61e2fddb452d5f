@testable import ContinuationChecks
import Testing

/// What is found in a wait whose parts have these names.
private func kinds(
  function: String = "load",
  label: String = "",
  parameter: String = "number",
  tested: String = "number",
  receiver: String = "sdk"
) throws -> [String] {
  let source = """
    func run(completion: @escaping (Int?) -> Void) {
      \(receiver).\(function)(\(label)) { \(parameter) in
        guard \(tested) else { return }
        completion(1)
      }
    }
    """
  return try #require(Report(source: source, kinds: Set(Kind.all))).findings.map(\.kind.name)
}

@Test func `a neutral name excuses nothing`() throws {
  #expect(try kinds() == ["never-called"])
}

@Test(arguments: Words.state)
func `a value that may say that the answer has come is a reason`(word: Substring) throws {
  #expect(try kinds(tested: "is_\(word)").isEmpty)
}

@Test(arguments: Words.busy)
func `a value that says that a call is under way is a reason`(word: Substring) throws {
  #expect(try kinds(tested: "!is\(word.capitalized)").isEmpty)
  #expect(try kinds(tested: "loadWithout\(word.capitalized)") == ["maybe-never-called"])
}

@Test(arguments: Words.repeatedly)
func `a function that calls again and again need not answer each time`(word: Substring) throws {
  #expect(try kinds(function: "add_\(word)").isEmpty)
}

@Test(arguments: Words.event)
func `a function is named after the events that it brings`(word: Substring) throws {
  #expect(try kinds(function: "on_\(word)").isEmpty)
  for ask in Words.asks { #expect(try kinds(function: "\(ask)_\(word)").isEmpty == false) }
}

@Test(arguments: Words.handler)
func `a kept closure may be called again`(word: Substring) throws {
  #expect(try kinds(function: "add_\(word)").isEmpty)
  for once in Words.once { #expect(try !kinds(function: "\(once)_\(word)").isEmpty) }
}

@Test(arguments: Words.outcome)
func `an answer is no event`(word: Substring) throws {
  #expect(try !kinds(function: "on\(word.capitalized)").isEmpty)
  #expect(try kinds(function: "onNumber").isEmpty)
}

@Test(arguments: Words.part)
func `a piece of the answer is no answer`(word: Substring) throws {
  #expect(try kinds(parameter: word.description).isEmpty)
}

@Test(arguments: Words.ends)
func `who ends the registration is called more than once`(name: String) throws {
  #expect(try kinds(tested: "sdk.\(name)()").isEmpty)
}

@Test(arguments: Words.atOnce.sorted() + Words.scoped.map { "with_\($0)" })
func `a closure that runs at once is a part of its function`(name: String) throws {
  let source =
    "func f(completion: @escaping () -> Void) { sdk.\(name) { completion() }; completion() }"
  let found = try #require(Report(source: source)).findings
  #expect(found.map(\.kind) == [.resumedTwice])
}

@Test(arguments: Words.fake)
func `a stand-in leaves out what its test does not need`(word: Substring) throws {
  let source = "struct A_\(word) { func f(_ a: Int?, completion: @escaping () -> Void) "
  let body = "{ if let a { completion() } } }"
  #expect(try #require(Report(source: source + body, kinds: Set(Kind.all))).findings.isEmpty)
}

@Test(arguments: ["XCTest", "Testing", "Quick", "Nimble"])
func `what a test leaves out is debatable`(module: String) throws {
  let answer = "sdk.load { a in if let a { completion(a) } }"
  let calls = "func f(completion: @escaping (Int?) -> Void) { \(answer) }"
  let waits = "func f() async { await withCheckedContinuation { if a != nil { $0.resume() } } }"
  for (source, kind) in [(calls, Kind.maybeNeverCalled), (waits, .maybeNeverResumed)] {
    let report = Report(source: "import \(module)\n\(source)", kinds: Set(Kind.all))
    #expect(try #require(report).findings.map(\.kind) == [kind])
  }
}

@Test(arguments: [("of: Int.self", "program traps"), ("of: Int.self, throwing: E.self", "traps")])
func `a continuation that cannot be copied traps`(arguments: String, consequence: String) throws {
  // The form of Swift 6.4, which needs a newer compiler: it is only parsed here.
  let source = """
    func number() async throws -> Int {
      try await withContinuation(\(arguments)) { continuation in
        sdk.load { number, error in
          guard let number else { return }
          continuation.resume(returning: number)
        }
      }
    }
    """
  let report = try #require(Report(source: source))
  #expect(report.waits == 1 && report.findings.map(\.kind) == [.neverResumed])
  #expect(report.findings[0].message.contains(consequence) && report.findings[0].line == 4)

  let resumption = "return continuation.resume(throwing: E())"
  let resumed = source.replacing("return }", with: resumption + " }")
  #expect(try #require(Report(source: resumed)).findings.isEmpty)
  // A function of another module, or without a type, is something else.
  for name in ["Other.withContinuation(of: Int.self)", "withContinuation()"] {
    let other = source.replacing("withContinuation(\(arguments))", with: name)
    #expect(try #require(Report(source: other)).waits == 0)
  }
}

@Test(arguments: Words.failure)
func `a case that fails is no step`(word: Substring) throws {
  let source = """
    func f(completion: @escaping () -> Void) {
      sdk.load { value in
        switch value {
        case .one: completion()
        case .\(word)_one: print(1)
        case .\(word)_two: print(2)
        }
      }
    }
    """
  #expect(try #require(Report(source: source)).findings.map(\.kind) == [.neverCalled])
}
