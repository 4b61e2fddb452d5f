import ContinuationChecks
import Testing

/// A function that takes a completion handler, and what its callback does.
private func kinds(
  _ body: String,
  name: String = "load",
  parameters: String = "completion: @escaping (Int?) -> Void"
) throws -> [String] {
  let callback = "{ a, text, urlComponents, response, name, message, some in \(body) }"
  return try kinds(file: "func \(name)(\(parameters)) { sdk.ask \(callback) }")
}

private func kinds(file: String) throws -> [String] {
  try #require(Report(source: file, kinds: Set(Kind.all))).findings.map(\.kind.name)
}

private let certain = ["never-called"]
private let debatable = ["maybe-never-called"]

@Test(arguments: [
  "let url = URL(string: text)", "let parts = URLComponents(string: text)",
  "let url = urlComponents.url", "let http = response as? HTTPURLResponse",
  "let code = (response as? HTTPURLResponse)?.statusCode",
  "let body = text.data(using: .utf8)", "let text = text.addingPercentEncoding(with: all)",
  "let text = String(data: a, encoding: .utf8)", "let text = String(bytes: a, encoding: .utf8)",
  "let body = try? encoder.encode(a)", "let body = try? JSON.data(withJSONObject: a)",
])
func `what a program makes of what it knows is always made`(condition: String) throws {
  #expect(try kinds("guard \(condition) else { return }; completion(1)") == debatable)
  #expect(try kinds("if \(condition) { completion(1) }") == debatable)
  // Another condition beside it fails for a reason of its own.
  #expect(try kinds("guard \(condition), let a else { return }; completion(1)") == certain)
  // A task that waits forever is worth a look.
  let wait =
    "func f() async { await withCheckedContinuation { c in if \(condition) { c.resume() } } }"
  #expect(try kinds(file: wait) == ["never-resumed"])
}

@Test func `what is only ever answered with true has no other path`() throws {
  let login =
    "func logIn(completion: @escaping (Bool) -> Void) { "
    + "sdk.ask { if $0 { completion(true) } else { showLogin() } } }"
  let load =
    "func load(completion: @escaping (Int?) -> Void) { "
    + "logIn { success in if success { completion(1) } } }"
  #expect(try kinds(file: login + "\n" + load) == certain + debatable)
  // What comes after `true` may be missing.
  let ofSecond = load.replacing("success in if success", with: "success, a in if let a")
  #expect(try kinds(file: login + "\n" + ofSecond) == certain + certain)
  for other in [
    login.replacing("showLogin()", with: "completion(false)"),
    login.replacing("showLogin()", with: "next(completion)"),
    login + "\n"
      + login.replacing("logIn(", with: "logIn(_ name: String, ").replacing("true", with: "$0"),
  ] {
    #expect(try kinds(file: other + "\n" + load).last == certain[0])
  }
}

@Test func `an unknown name may be passed over`() throws {
  let names =
    "if let a { return completion(1) }; "
    + "switch name { case \"a\": completion(1); default: save() }"
  #expect(try kinds(names) == debatable)
  #expect(try kinds(names.replacing("\"a\"", with: ".a")) == certain)
}

@Test func `a function that handles an event may ignore it`() throws {
  let body = "guard let message else { return }; completion(1)"
  #expect(try kinds(body, name: "handleMessage") == debatable)
  let ofSDK = "_ data: Data, completionHandler: @escaping (Data?) -> Void"
  let answers = body.replacing("completion(1)", with: "completionHandler(1)")
  #expect(try kinds(answers, name: "handleAppMessage", parameters: ofSDK) == certain)
}

@Test func `an error that something else hears of is passed over`() throws {
  let body = "guard let a else { show(error); return }; completion(a)"
  #expect(try kinds(body) == debatable)
  for log in [
    "print(error)", "logger.warning(error)", "NSLog(error)", "simpleAssert(error)",
    "completions.add(1)",
  ] {
    #expect(try kinds(body.replacing("show(error)", with: log)) == certain)
  }
  // These only sound like a log.
  for other in ["login(error)", "showDialog(error)"] {
    #expect(try kinds(body.replacing("show(error)", with: other)) == debatable)
  }
}

@Test(arguments: [".failure(a)", ".fail(a)", ".error(a)"])
func `a handler that is called with errors only may be silent`(value: String) throws {
  #expect(try kinds("if let a { return completion(\(value)) }") == debatable)
  #expect(try kinds("if let a { return completion(.success(a)) }") == certain)
}

@Test func `events in a row have no end`() throws {
  let body = "guard let a else { return }; completion(1)"
  #expect(try kinds(body + "; completion(2)").isEmpty)
  #expect(try kinds(body + "; save(); completion(2)") == ["never-called", "resumed-twice"])
}

@Test(arguments: ["errorHandler", "failureBlock", "onErrorCallback", "failureClosure"])
func `another handler may be called instead`(name: String) throws {
  let parameters = "completion: @escaping (Int?) -> Void, \(name): Report?"
  let body = "guard let a else { \(name)?(1); return }; completion(a)"
  #expect(try kinds(body, parameters: parameters).isEmpty)
  // A parameter of this name, and not any function.
  #expect(try kinds("guard let a else { save?(1); return }; completion(a)") == certain)
}

@Test func `a property that only an initializer sets is not nil`() throws {
  let source = """
    class A {
      private let sdk: SDK?
      init(sdk: SDK) { self.sdk = sdk }
      func load(completion: @escaping (Int?) -> Void) { sdk?.load(completion) }
    }
    """
  #expect(try kinds(file: source).isEmpty)
  for (old, new) in [
    ("private let", "var"), ("private let", "private weak var"), ("(sdk: SDK)", "(sdk: SDK?)"),
    ("{ self.sdk = sdk }", "{}"), ("class A {", "class A { func end() { sdk = nil }"),
  ] {
    #expect(try !kinds(file: source.replacing(old, with: new)).isEmpty)
  }
}

@Test func `a case that says a state is a reason`() throws {
  #expect(try kinds("if case .wasCancelled = a {} else { completion(1) }").isEmpty)
  #expect(try kinds("if case .denied = a {} else { completion(1) }") == certain)
}

@Test func `what a wait captures weakly is kept elsewhere`() throws {
  let wait = "{ [weak sdk] c in sdk?.load { c.resume() } }"
  let source = "func f() async { let sdk = sdk; await withCheckedContinuation \(wait) }"
  #expect(try kinds(file: source).isEmpty)
  #expect(try kinds(file: source.replacing("[weak sdk] ", with: "")) == ["never-resumed"])
}

@Test func `a task that is not kept is not cancelled`() throws {
  let loop = "{ while !isReady { try? await Task.sleep(for: .seconds(1)) } }"
  let found = ["sleep-ignores-cancellation"]
  #expect(try kinds(file: "func f() { Task \(loop); run() }").isEmpty)
  #expect(try kinds(file: "func f() { Task.detached \(loop) }").isEmpty)
  #expect(try kinds(file: "func f() { task = Task \(loop) }").isEmpty)
  #expect(try kinds(file: "func f() { task = Task \(loop); task.cancel() }") == found)
  #expect(try kinds(file: "func f() { tasks.append(Task \(loop)) }").isEmpty)
  #expect(try kinds(file: "func f() { tasks.append(Task \(loop)); cancel(tasks) }") == found)
  #expect(try kinds(file: "func f() { Task \(loop).store(in: bag) }") == found)
  #expect(try kinds(file: "func f() -> Task<Void, Never> { Task \(loop) }") == found)
  #expect(try kinds(file: "func f() async \(loop)") == found)
  #expect(try kinds(file: "while !isReady { try? await Task.sleep(for: .seconds(1)) }").isEmpty)
}

@Test func `a handler that is called for each element has no end`() throws {
  let body = "guard let a else { return }; for value in a { # }"
  #expect(try kinds(body.replacing("#", with: "completion(value)")).isEmpty)
  // Only one of them gets an answer.
  #expect(try kinds(body.replacing("#", with: "return completion(value)")) == certain)
  #expect(try kinds(body.replacing("#", with: "completion(value); break")) == certain)
}

@Test func `what was tested or unwrapped before is not nil`() throws {
  let tested = "guard a != nil && b == nil else { return completion(1) }; "
  #expect(try kinds(tested + "a?.load(completion)").isEmpty)
  #expect(try kinds("if a!.isReady { a?.load(completion) } else { completion(1) }").isEmpty)
  #expect(try kinds("if b { a?.load(completion) } else { completion(1) }") == debatable)
}

@Test func `a list that is not empty has a first element`() throws {
  let body = "guard !all.isEmpty else { return completion(1) }"
  #expect(try kinds(body + "; guard let a = all.first else { return }; completion(a)").isEmpty)
  #expect(try kinds(body + "; guard let a = some.first else { return }; completion(a)") == certain)
}

@Test func `a default that only breaks leaves out what does not matter`() throws {
  let body =
    "if let text { return completion(1) }; "
    + "switch a { case .one: completion(1); case .two: completion(2); default: # }"
  #expect(try kinds(body.replacing("#", with: "break")) == debatable)
  #expect(try kinds(body.replacing("#", with: "return")) == certain)
}

@Test(arguments: ["error", "error = error as NSError?", "error = error as? NSError"])
func `an error is an error in any form`(error: String) throws {
  let chain = "if let a { completion(a) } else if let \(error) { completion(1) }"
  let body = "sdk.load { a, error in \(chain) }"
  #expect(try kinds(body) == debatable)
  #expect(try kinds(body.replacing(error + " {", with: "error = error as? MyError {")) == certain)
  // On another queue, they are the same parameters.
  let later = "sdk.load { a, error in main.async { \(chain) } }"
  #expect(try kinds(later) == debatable)
}

@Test(arguments: [
  "guard let a else { return }; completion(a)", "if let a { completion(a) }",
  "guard a != nil else { return }; completion(a)", "guard a else { return }; completion(1)",
  "guard case .success(let b) = a else { return }; completion(b)",
  "guard let b = a[0] as? Int else { return }; completion(b)",
  "let b = a.value; guard let b else { return }; completion(b)",
  "switch a { case .success(let b): if let c = b.c { completion(c) }; default: completion(1) }",
  "switch a { case .failure: log(1); default: completion(1) }",
  "do { try completion(b(a)) } catch { log(error) }", "try? b { completion(1) }",
  "do { completion(try b()) } catch { if let c = error as? C { completion(c) } }",
])
func `what a callback brings may be a failure`(body: String) throws {
  #expect(try Set(kinds(body)).isDisjoint(with: debatable))
}

@Test(arguments: [
  "guard let b else { return }; completion(b)", "if isOn { completion(1) }",
  "guard a == 1 else { return }; completion(a)", "if let a { save(a) } else { completion(1) }",
  "guard let b = all.first(where: { $0.isOn }) else { return }; completion(b)",
  "switch a { case .other: log(1); default: completion(1) }",
])
func `what something else decides may be chosen`(body: String) throws {
  #expect(try kinds(body) == debatable)
  // A function asks the same of its parameters before it starts anything.
  let source = "func f(_ a: Int?, completion: @escaping (Int?) -> Void) { \(body) }"
  #expect(try kinds(file: source) == debatable)
}

@Test func `the last decision is the reason`() throws {
  let body = "guard let a else { if # { completion(1) }; return }; completion(a)"
  #expect(try kinds(body.replacing("#", with: "isOn")) == debatable)
  #expect(try kinds(body.replacing("#", with: "text == 1")) == debatable)
  #expect(try kinds(body.replacing("#", with: "let text")) == certain)
  let inside = "if let error = text { if # { return }; return completion(1) }; completion(1)"
  #expect(try kinds(inside.replacing("#", with: "error.code == 5")) == debatable)
}

@Test func `what is certain counts more than what is debatable`() throws {
  #expect(try kinds("guard let a else { if isOn { save() }; return }; completion(a)") == certain)
}

@Test func `a catch for some errors is thought of`() throws {
  let body = "do { completion(try b()) } catch # { log(1) } catch { completion(1) }"
  for errors in ["Failure.known", "let error as Failure", "is Failure"] {
    #expect(try kinds(body.replacing("#", with: errors)) == debatable)
  }
  let all = "do { completion(try b()) } catch # { log(1) }"
  for errors in ["", "let failure", "(let failure)"] {
    #expect(try kinds(all.replacing("#", with: errors)) == certain)
  }
}

@Test func `a failure with a break alone is chosen`() throws {
  let body = "switch a { case .success: completion(1); case .failure: # }"
  #expect(try kinds(body.replacing("#", with: "break")) == debatable)
  #expect(try kinds(body.replacing("#", with: "log(1)")) == certain)
}

@Test(arguments: [
  "switch a { case .success: if let text { completion(text) }; default: completion(1) }",
  "if a { if let text { completion(text) } } else { completion(1) }",
  "guard a else { return completion(1) }; guard let text else { return }; completion(text)",
  "guard !a else { guard let text else { return }; return completion(text) }; completion(1)",
])
func `with a success comes a value`(body: String) throws {
  #expect(try kinds(body) == debatable)
}

@Test func `nothing beside what is always made is nothing`() throws {
  let made = "guard let a, let text = String(data: a, encoding: .utf8) else { return }"
  let body = "if let error { return completion(1) }; \(made); completion(text)"
  #expect(try kinds("sdk.load { a, error in \(body) }") == debatable)
  let other = body.replacing("let a,", with: "a.isOn,")
  #expect(try kinds("sdk.load { a, error in \(other) }") == certain)
}

@Test func `nothing in parentheses or in a member is nothing`() throws {
  let body = "if (error == nil) { if let a { completion(a) } } else { completion(1) }"
  #expect(try kinds("sdk.load { a, error in \(body) }") == debatable)
  let members = "if let b = a.value { completion(b) } else if let c = a.error { completion(c) }"
  #expect(try kinds(members) == debatable)
}

@Test func `the value of a success comes with it`() throws {
  let body = "switch a { case .success(let b): #; case .failure: completion(1) }"
  #expect(try kinds(body.replacing("#", with: "if let b { completion(b) }")) == debatable)
  #expect(try kinds(body.replacing("#", with: "if b != nil { completion(b) }")) == debatable)
  // What else the value contains may be missing.
  #expect(try kinds(body.replacing("#", with: "if let c = b.c { completion(c) }")) == certain)
}

@Test(arguments: ["encoder.encode(b)", "JSONSerialization.data(withJSONObject: b)"])
func `what a program knows can be encoded`(encoding: String) throws {
  let body = "do { completion(try #) } catch { log(1) }"
  #expect(try kinds(body.replacing("#", with: encoding)) == debatable)
  #expect(try kinds(body.replacing("#", with: "decoder.decode(b)")) == certain)
  #expect(try kinds(body.replacing("#", with: "b.check(\(encoding))")) == certain)
}

private let sleep = "try? await Task.sleep(for: .seconds(1))"
private let spins = ["sleep-ignores-cancellation"]
private let endsAnyway = ["maybe-sleep-ignores-cancellation"]

@Test(arguments: [
  "while !isReady, count < 10 { #; count += 1 }", "while !isReady, left > 0 { #; left -= 1 }",
  "while left > 0 { #; left = max(0, left - 1) }", "repeat { #; count += 1 } while count < 10",
  "while !isReady { if count >= 10 { break }; count += 1; # }",
  "while !isReady { guard count < 10 else { return }; count += 1; # }",
])
func `a loop that counts ends anyway`(loop: String) throws {
  let source = "func f() async { \(loop.replacing("#", with: sleep)) }"
  #expect(try kinds(file: source) == endsAnyway)
  // Counted only for a log.
  let uncounted = source.replacing(" < 10", with: "").replacing(" >= 10", with: "")
    .replacing(" > 0", with: "")
  #expect(try kinds(file: uncounted) == spins)
}

@Test(arguments: [
  "ContinuousClock.now < deadline", "Date() < deadline", "Date.now < deadline",
  "start.timeIntervalSince(a) < 5", "deadline.timeIntervalSinceNow > 0",
  "CFAbsoluteTimeGetCurrent() < end",
])
func `a loop that has a deadline ends anyway`(condition: String) throws {
  let source = "func f() async { while \(condition) { if isReady { return }; \(sleep) } }"
  #expect(try kinds(file: source) == endsAnyway)
  // The time of an event is not a deadline.
  let other = source.replacing(condition, with: "event.date < deadline")
  #expect(try kinds(file: other) == spins)
}

@Test func `a loop over elements ends anyway`() throws {
  #expect(try kinds(file: "func f() async { for a in all { \(sleep) } }") == endsAnyway)
  #expect(try kinds(file: "func f() async { while let a { \(sleep) } }") == spins)
}

@Test func `a request that is repeated so many times ends anyway`() throws {
  for head in ["for a in all", "while left > 0"] {
    let loop = "func f() async { \(head) { do { try a() } catch { left -= 1; \(sleep) } } }"
    #expect(try kinds(file: loop) == endsAnyway)
  }
  let loop = "func f() async { while true { do { try a() } catch { \(sleep) } } }"
  #expect(try kinds(file: loop) == spins)
}

@Test func `what cancels a task may end its loop`() throws {
  let loop = "func f() async { while isRunning { \(sleep) } }"
  let stop = "; func stop() { isRunning = false; task.cancel() }"
  #expect(try kinds(file: loop + stop) == endsAnyway)
  #expect(try kinds(file: loop + stop.replacing("task.cancel()", with: "")) == spins)
  #expect(try kinds(file: loop + stop.replacing("isRunning", with: "isLate")) == spins)
}

@Test func `an error may end the loop through its condition`() throws {
  let request = "do { try await a() } catch { isOn = false }"
  let loop = "func f() async { repeat { \(sleep); \(request) } while isOn }"
  #expect(try kinds(file: loop) == endsAnyway)
  #expect(try kinds(file: loop.replacing("isOn =", with: "isLate =")) == spins)
}

private let stream = "let all = AsyncStream { c in Task { #; c.finish() } }"
private let runsOn = ["stream-task-not-cancelled"]
private let hasEnd = ["maybe-stream-task-not-cancelled"]

@Test func `a task that only sleeps once is a timeout`() throws {
  let nap = "try await Task.sleep(for: .seconds(1))"
  #expect(try kinds(file: stream.replacing("#", with: nap)).isEmpty)
  #expect(try kinds(file: stream.replacing("#", with: "while isOn { \(nap) }")) == runsOn)
  #expect(try kinds(file: stream.replacing("#", with: "\(nap); await a()")) == hasEnd)
}

@Test func `a task with an end of its own runs on for a time`() throws {
  for work in [
    "await a()", "for a in all { await b(a) }", "for await a in group { c.yield(a) }",
    "for await a in taskGroup { c.yield(a) }",
  ] {
    #expect(try kinds(file: stream.replacing("#", with: work)) == hasEnd)
  }
  for work in [
    "for await a in events { c.yield(a) }", "while let a = await next() { c.yield(a) }",
    "repeat { await a() } while isOn",
  ] {
    #expect(try kinds(file: stream.replacing("#", with: work)) == runsOn)
  }
}

@Test func `the value of a variable may stand in for another`() throws {
  let preview = "enum A { static var previewValue: A { \(stream) } }"
    .replacing("#", with: "await a()")
  #expect(try kinds(file: preview).isEmpty)
  #expect(try kinds(file: preview.replacing("previewValue", with: "liveValue")) == hasEnd)
}

@Test func `a receiver may be gone`() throws {
  let skipped = "guard a else { return sdk?.show(completion) }; completion(1)"
  #expect(try kinds(skipped) == debatable)
  // A task that waits forever is worth a look.
  let wait = "await withCheckedContinuation { c in sdk?.load { c.resume() } }"
  #expect(try kinds(file: "func f() async { \(wait) }") == ["never-resumed"])
  // What Objective-C makes is optional unless it says otherwise.
  for value in ["let sdk = make()", "guard let sdk = all[1] else { return }"] {
    #expect(try kinds(file: "func f() async { \(value); \(wait) }") == ["maybe-never-resumed"])
  }
}

@Test func `an else may do something instead`() throws {
  let answers = "if let a { completion(a) } else { # }"
  #expect(try kinds(answers.replacing("#", with: "show(error)")) == debatable)
  #expect(try kinds(answers.replacing("#", with: "show()")) == certain)
  let steps = "if let a { completion(a) } else if let b { completion(b) } else { show(error) }"
  #expect(try kinds(steps) == debatable)
}

@Test func `what does not fail calls nothing twice`() throws {
  let body = "do { let b = try # } catch { completion(1) }; completion(2)"
  let encodes = body.replacing("#", with: "JSONEncoder().encode(a)")
  #expect(try kinds(encodes) == ["maybe-resumed-twice"])
  #expect(try kinds(body.replacing("#", with: "load(a)")) == ["resumed-twice"])
}

@Test func `a cast to what was asked for succeeds`() throws {
  for type in ["LAError", "Response<Int>", "HTTPURLResponse"] {
    #expect(try kinds("guard let a = a as? \(type) else { return }; completion(1)") == debatable)
  }
  for type in ["String", "B", "[String: Any]", "[A<Int>]"] {
    #expect(try kinds("guard let a = a as? \(type) else { return }; completion(1)") == certain)
  }
  let cast = "guard let b = a as? B else { return }; completion(1)"
  #expect(try kinds("if a is B { \(cast) } else { completion(2) }") == debatable)
  #expect(try kinds("if a is C { \(cast) } else { completion(2) }") == certain)
}

@Test func `a group that waits for all its tasks is no race`() throws {
  let tasks = "g.addTask { await \(pure) }; g.addTask { try? await Task.sleep(for: s) }; "
  let group = "func f() async { await withTaskGroup { g in \(tasks)# } }"
  #expect(try kinds(file: group.replacing("#", with: "await g.waitForAll()")).isEmpty)
  let race = group.replacing("#", with: "await g.next(); g.cancelAll()")
  #expect(try kinds(file: race) == ["timeout-cannot-fire"])
}

private let pure = "withCheckedContinuation { c in sdk.load { c.resume() } }"

@Test func `a call with a pointer for its error may leave out its closure`() throws {
  let call = "files.coordinate(readingItemAt: a, error: &reason) { c.resume(returning: $0) }"
  let wait = "func f() async { await withCheckedContinuation { c in \(call)# } }"
  #expect(try kinds(file: wait.replacing("#", with: "")) == ["never-resumed"])
  let asks = "; if let reason { c.resume(returning: nil) }"
  #expect(try kinds(file: wait.replacing("#", with: asks)).isEmpty)
  let other = wait.replacing("&reason", with: "reason").replacing("#", with: "")
  #expect(try kinds(file: other).isEmpty)
}
