@testable import ContinuationChecks
import Testing

/// The kinds of what is found in the files, after the callers have been looked for.
private func kinds(_ files: String...) throws -> [String] {
  let found = try files.flatMap { try #require(Report(source: $0, kinds: Set(Kind.all))).findings }
  // The name of a file is its number.
  let project = Project(paths: files.indices.map(\.description)) { Int($0).map { files[$0] } }
  return project.judge(found).map(\.kind.name)
}

private let certain = ["never-called"]
private let debatable = ["maybe-never-called"]

/// A function that does not always call its handler.
private func function(_ parameters: String, _ modifiers: String = "") -> String {
  "\(modifiers) func load(\(parameters)) { sdk.ask { a in if let a { completion(a) } } } // completion"
}

private let ofResult = function("completion: @escaping (Result<Int, any Error>) -> Void")
private let ofOptional = function("completion: @escaping (Int?) -> Void")
private let ofSuccess = function("completion: @escaping (Int) -> Void")

@Test func `a handler without a caller is debatable`() throws {
  #expect(try kinds(ofResult) == debatable)
  #expect(try kinds(ofResult, "func g() { loader.load { self.show($0) } }") == certain)
  // A call of itself is none, nor is one in a test.
  let again = ofResult.replacing("sdk.ask", with: "if a { load { self.show($0) } }; sdk.ask")
  #expect(try kinds(again) == debatable)
  let test = "import XCTest; class A: B { override func setUp() { loader.load { self.show($0) } } }"
  #expect(try kinds(ofResult, test) == debatable)
}

@Test(arguments: [
  "{ if let a = $0 { show(a) } else { alert() } }", "{ guard let a = $0 else { return alert() } }",
  "{ a in switch a { case .success: break; case .failure(let error): show(error) } }",
  "{ a in do { try show(a.get()) } catch { show(error) } }", "{ a in items = a ?? [] }",
  "{ a in isLoading = false; if let a { show(a) } }", "{ a in state = .loaded }",
  "{ a in if a == nil { alert() } }", "{ a in show(a) }", "{ _ in reload() }",
  "{ _ in hud.hide() }",
  "{ a in DispatchQueue.main.async { group.leave() } }", "{ a in continuation.resume(with: a) }",
  "{ a in if a != nil { return show(a) }; alert() }", "show",
  "{ a in if let error = a { alert() } }",
  "{ a in if a == \"OK\" { show() } else { alert() } }", "{ a in if a.count == 0 { hud.hide() } }",
  "{ a, error in if error == nil { return }; alert() }", "{ a in subject.send(a) }",
])
func `a caller depends on the handler`(closure: String) throws {
  #expect(try kinds(ofResult, "func g() { loader.load(completion: \(closure)) }") == certain)
}

@Test(arguments: [
  "{ _ in }", "nil", "{ a in print(a) }", "{ if let a = $0 { show(a) } }",
  "{ guard let a = $0 else { return }; show(a) }", "{ a in if a == nil { print(a) } }",
  "{ a in switch a { case .success(let a): show(a); case .failure: break } }",
  "{ a in do { try show(a.get()) } catch { log(error) } }",
  "{ a, error in if error != nil { return }; show(a!) }", "{ a in label.text = a }",
  "{ a in if a == \"OK\" { hud.hide() } }", "{ a in if a == 1 { show() } else { print(a) } }",
  "{ a in ongoingCourses = a }",
  "{ a in if let a { DispatchQueue.main.async { show(a) } } else { print(a) } }",
])
func `a caller does without the answer`(closure: String) throws {
  #expect(try kinds(ofResult, "func g() { loader.load(completion: \(closure)) }") == debatable)
}

@Test func `a value that may be nil is no failure that is passed on`() throws {
  let caller = "func g() { loader.load { image in cell.show(image) } }"
  #expect(try kinds(ofOptional, caller) == debatable)
  #expect(try kinds(ofResult, caller) == certain)
}

@Test func `a handler for successes ends waits only`() throws {
  for (action, found) in [("dismiss()", debatable), ("group.leave()", certain)] {
    #expect(try kinds(ofSuccess, "func g() { loader.load { a in \(action) } }") == found)
    #expect(try kinds(ofOptional, "func g() { loader.load { a in \(action) } }") == certain)
  }
}

@Test(arguments: Words.end)
func `a call with this name ends something`(word: Substring) throws {
  let caller = "func g() { loader.load { a in it_\(word)() } }"
  #expect(try kinds(ofOptional, caller) == certain)
  #expect(try kinds(ofSuccess, caller) == (Words.wait.contains(word) ? certain : debatable))
}

@Test(arguments: Words.progress.union(["loading"]))
func `a variable with this name says whether something has ended`(word: Substring) throws {
  #expect(try kinds(ofOptional, "func g() { loader.load { a in \(word) = next } }") == certain)
  #expect(try kinds(ofOptional, "func g() { loader.load { a in text = a } }") == debatable)
}

@Test(arguments: Words.roles)
func `a type is not known by its role`(word: String) throws {
  let type = "class Image\(word.capitalized) { \(ofOptional) \n}"
  let other = "func g() { text\(word.capitalized).load { _ in hud.hide() } }"
  let own = "func h() { image\(word.capitalized).load { _ in } }"
  #expect(try kinds(type, other, own) == debatable)
  #expect(try kinds(type, other) == certain)
}

@Test func `the callers of a caller count`() throws {
  let next = "func next(done: @escaping (Int?) -> Void) { loader.load { a in done(a) } }; "
  #expect(try kinds(ofOptional, next) == debatable)
  #expect(try kinds(ofOptional, next, "func g() { next { _ in hud.hide() } }") == certain)
  #expect(try kinds(ofOptional, next, "func g() { next { _ in } }") == debatable)
  let passes = next.replacing("{ a in done(a) }", with: "(completion: done)")
  #expect(try kinds(ofOptional, passes, "func g() { next { _ in hud.hide() } }") == certain)
  #expect(
    try kinds(ofOptional, "func a(done: @escaping (Int?) -> Void) { a(done: done) }") == debatable
  )
}

@Test func `a public function has callers elsewhere`() throws {
  let parameters = "completion: @escaping (Int?, (any Error)?) -> Void"
  let inside = "class A { \(function(parameters, "public")) \n}"
  #expect(try kinds("public \(inside)") == certain)
  #expect(try kinds("extension A { \(function(parameters, "public")) \n}") == certain)
  #expect(try kinds("public extension A { \(function(parameters)) \n}") == certain)
  #expect(try kinds(inside) == debatable)
  // It does not promise to report a failure.
  #expect(try kinds(function("completion: @escaping (Int) -> Void", "public")) == debatable)
}

@Test func `a method of a delegate is called by its SDK`() throws {
  let parameters = "_ view: View, completionHandler completion: @escaping (Int?) -> Void"
  #expect(try kinds(function(parameters)) == certain)
  #expect(try kinds(function(parameters.replacing("_ view", with: "view"))) == debatable)
}

@Test(arguments: Words.requirements)
func `a method that a protocol may require is called by an SDK`(word: Substring) throws {
  let type = "struct A: Timeline\(word.capitalized) { \(ofOptional) \n}"
  #expect(try kinds(type) == certain)
  #expect(try kinds(type.replacing(": Timeline\(word.capitalized)", with: "")) == debatable)
  // If the project calls it, its callers tell.
  #expect(try kinds(type, "func g() { a.load { _ in } }") == debatable)
}

@Test func `a function that nothing names is not run`() throws {
  let caller = "func loadAgain() { loader.load { _ in hud.hide() } }"
  #expect(try kinds(ofOptional, caller) == debatable)
  #expect(try kinds(ofOptional, caller, "func f() { loadAgain() }") == certain)
  for known in ["override ", "@objc ", "public "] {
    #expect(try kinds(ofOptional, known + caller) == certain)
  }
  // A comment does not call it.
  #expect(try kinds(ofOptional, caller, "func f() {\n  // loadAgain()\n}") == debatable)
  #expect(try kinds(ofOptional, caller, "func f() { loadAgain() } // again") == certain)
  // A protocol may ask for it, or a delegate.
  #expect(try kinds(ofOptional, "struct A: TimelineProvider { \(caller) }") == certain)
  #expect(try kinds(ofOptional, "struct A: Equatable { \(caller) }") == debatable)
  #expect(try kinds(ofOptional, caller.replacing("loadAgain", with: "run")) == certain)
  #expect(
    try kinds(ofOptional, caller.replacing("()", with: "(_ a: Int)", maxReplacements: 1)) == certain
  )
}

@Test(arguments: [7: "never-called", 8: "maybe-never-called"])
func `what many functions of a file do is how they are written`(count: Int, found: String) throws {
  let file = Array(repeating: ofOptional, count: count).joined(separator: "\n")
  let caller = "func f() { loader.load { _ in hud.hide() } }"
  #expect(try kinds(file, caller) == Array(repeating: found, count: count))
  // Another mistake beside them is one.
  let other = ofOptional.replacing(
    "if let a { completion(a) }",
    with: "guard let a else { return }; completion(a)"
  )
  #expect(try kinds(file + "\n" + other, caller).last == "never-called")
}

@Test func `a caller is known by labels and receiver`() throws {
  let labelled = "func g() { loader.load(from: a) { _ in hud.hide() } }"
  #expect(try kinds(ofOptional, labelled) == debatable)
  let other = function("from a: A, in b: B = c, completion: @escaping (Int?) -> Void")
  #expect(try kinds(other, labelled) == certain)
  #expect(try kinds(other, labelled.replacing("from", with: "of")) == debatable)

  let loader = "class ImageLoader { \(ofOptional) \n}"
  let text = "func g() { text.load { _ in hud.hide() } }"
  let image = "func h() { imageLoader.load { _ in } }"
  #expect(try kinds(loader, text) == certain)
  #expect(try kinds(loader, text, image) == debatable)
  // A wrapper of another type calls it, and is no caller of itself.
  let call = "imageLoader.load(completion: completion)"
  let wrapper = "class ImageWrapper { func load(completion: @escaping (Int?) -> Void) { \(call) } }"
  #expect(try kinds(loader, wrapper) == debatable)
  #expect(try kinds(loader, wrapper, text) == certain)
}

@Test func `a handler is not passed to one of another type`() throws {
  for (type, found) in [
    ("Result<A, any Error>", certain), ("A", debatable), ("A?, (any Error)?", debatable),
  ] {
    let next = "func next(done: @escaping (\(type)) -> Void) { loader.load(completion: done) }"
    #expect(try kinds(ofResult, next, "func g() { next { show($0) } }") == found)
  }
  let alias = "func next(done: @escaping Completion) { loader.load(completion: done) }"
  #expect(try kinds(ofResult, alias, "func g() { next { show($0) } }") == certain)
}

@Test func `a second call is a mistake if somebody uses the handler`() throws {
  let twice = function("completion: @escaping (Int?) -> Void")
    .replacing("if let a { completion(a) }", with: "if a { completion(1) }; completion(2)")
  #expect(try kinds(twice) == ["maybe-resumed-twice"])
  #expect(try kinds(twice, "func g() { loader.load { _ in } }") == ["maybe-resumed-twice"])
  #expect(
    try kinds(twice, "func g() { loader.load { if let a = $0 { show(a) } } }") == ["resumed-twice"]
  )
  #expect(try kinds(twice.replacing("func", with: "public func")) == ["resumed-twice"])
}

// MARK: - Cancellation

private let sleep = "while !isReady { try? await Task.sleep(for: .seconds(1)) }"
private let spins = ["sleep-ignores-cancellation"]
private let perhaps = ["maybe-sleep-ignores-cancellation"]

@Test(arguments: [
  ("Task { await poll() }; run()", perhaps), ("let task = Task { await poll() }", perhaps),
  ("task = Task { await poll() }; task.cancel()", spins),
  ("task = Task { await poll() }; other.cancel()", spins),
  ("group.addTask { await poll() }", spins), ("async let a = poll()", spins),
  ("view.task { await poll() }", spins), ("view.task(id: a) { await poll() }", spins),
  ("await withLock { await poll() }", perhaps), ("_ = poll", perhaps),
])
func `what can be cancelled`(caller: String, found: [String]) throws {
  #expect(try kinds("func poll() async { \(sleep) }", "func g() async { \(caller) }") == found)
}

@Test func `a call that lacks an argument is of another function`() throws {
  let poll = "func poll(from a: A, to b: B) async { \(sleep) }"
  #expect(try kinds(poll, "func g() { group.addTask { await poll(from: a) } }") == perhaps)
  #expect(try kinds(poll, "func g() { group.addTask { await poll(from: a, to: b) } }") == spins)
  let omits = poll.replacing("b: B", with: "b: B = b")
  #expect(try kinds(omits, "func g() { group.addTask { await poll(from: a) } }") == spins)
}

@Test func `the callers of a caller can be cancelled`() throws {
  let poll = "func poll() async { \(sleep) }; func next() async { await poll() }"
  #expect(try kinds(poll) == perhaps)
  #expect(try kinds(poll, "func g() { group.addTask { await next() } }") == spins)
  #expect(try kinds(poll, "func g() { Task { await next() }; run() }") == perhaps)
  let property = "var isSlow: Bool { get async { \(sleep); return true } }"
  #expect(try kinds(property) == perhaps)
  #expect(try kinds(property, "func g() { group.addTask { await a.isSlow } }") == spins)
}

@Test func `a cancellation that nothing calls does not happen`() throws {
  let poll = "func f() { task = Task { \(sleep) }; run() }; func stopPolling() { task?.cancel() }"
  #expect(try kinds(poll) == perhaps)
  #expect(try kinds(poll, "func g() { a.stopPolling() }") == spins)
  #expect(try kinds(poll + "; deinit { task?.cancel() }") == spins)
}

// MARK: - Streams

private let stream =
  "func all() -> AsyncStream<Int> { AsyncStream { c in Task { while a { await b() } } } }"
private let runsOn = ["stream-task-not-cancelled"]
private let ends = ["maybe-stream-task-not-cancelled"]

@Test(arguments: [
  ("for await a in sdk.all() { if a { break } }", runsOn),
  ("for await a in sdk.all() { if a { return } }", runsOn),
  ("for await a in sdk.all() { try show(a) }", runsOn),
  ("for await a in sdk.all() { throw a }", runsOn),
  ("for await a in sdk.all().map(b) { if a { return } }", runsOn),
  ("let all = sdk.all(); for await a in all { if a { return } }", runsOn),
  ("read(sdk.all())", runsOn), ("self.all = sdk.all()", runsOn),
  ("group.addTask { for await a in sdk.all() { show(a) } }", runsOn),
  ("for await a in sdk.all() { show(a) }", ends), ("_ = sdk.all()", ends),
  ("Task { for await a in sdk.all() { show(a) } }; run()", ends),
  ("for await a in sdk.all() { switch a { case 1: break; default: show(a) } }", ends),
  ("for await a in sdk.all() { for b in a { break } }", ends),
  ("for await a in sdk.all() { do { try show(a) } catch {} }", ends),
  ("for await a in sdk.all() { show { return } }", ends),
  ("let all = sdk.all(); for await a in all { show(a) }", ends),
])
func `a reader may stop`(reader: String, found: [String]) throws {
  #expect(try kinds(stream, "func f() async throws { \(reader) }") == found)
}

@Test func `a stream may be passed on`() throws {
  let next = "func next() -> AsyncStream<Int> { #sdk.all() }"
  for source in ["", "return ", "let all = sdk.all(); return all\n"] {
    let next = next.replacing("#", with: source)
    #expect(try kinds(stream, next) == ends)
    #expect(
      try kinds(stream, next, "func f() async { for await a in next() { return } }") == runsOn
    )
  }
  #expect(try kinds(stream) == ends)
}
