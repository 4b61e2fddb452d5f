import ContinuationChecks
import Testing

/// What is found in a wait for the first value of a publisher.
private func kinds(
  publisher: String = "sdk.publisher.first()",
  end: String = "{ if case .failure(let error) = $0 { c.resume(throwing: error) } }",
  value: String = "{ c.resume(returning: $0) }",
  after: String = ""
) throws -> [String] {
  let sink = "\(publisher).sink(receiveCompletion: \(end), receiveValue: \(value)).store(in: &bag)"
  let source =
    "func f() async throws { try await withCheckedThrowingContinuation { c in \(sink)\(after) } }"
  return try #require(Report(source: source, kinds: Set(Kind.all))).findings.map(\.kind.name)
}

private let debatable = ["maybe-never-resumed"]

@Test(arguments: [
  "{ if case .failure(let error) = $0 { c.resume(throwing: error) } }", "{ _ in }",
  "{ switch $0 { case .finished: break; case .failure(let error): c.resume(throwing: error) } }",
  "{ guard case .failure(let error) = $0 else { return }; c.resume(throwing: error) }",
])
func `a publisher may finish without a value`(end: String) throws {
  #expect(try kinds(end: end) == debatable)
}

@Test(arguments: [
  "{ switch $0 { case .finished: c.resume(); case .failure(let error): c.resume(throwing: error) } }",
  "{ if case .failure(let error) = $0 { c.resume(throwing: error) } else { c.resume() } }",
  "{ if case .finished = $0 { c.resume() } }", "{ _ in c.resume() }", "{ self.end($0, c) }",
])
func `the end of a publisher may be an answer`(end: String) throws {
  #expect(try kinds(end: end).isEmpty)
}

@Test func `something else may resume`() throws {
  #expect(try kinds(after: "; timer.start { c.resume() }").isEmpty)
  #expect(try kinds(publisher: "sdk.events(onCancel: { c.resume() })").isEmpty)
  #expect(try kinds(end: "{ end($0) }", value: "{ save($0) }", after: "; save(c)").isEmpty)
}

@Test(arguments: [
  "Just(1)", "Future { $0(.success(1)) }", "session.dataTaskPublisher(for: url)",
  "sdk.publisher.replaceEmpty(with: 1)", "sdk.publisher.prepend(1)", "sdk.publisher.collect()",
  "sdk.publisher.reduce(0, +)",
])
func `some publishers always bring a value`(publisher: String) throws {
  #expect(try kinds(publisher: publisher).isEmpty)
}

@Test func `closures are known by their places, too`() throws {
  let source = """
    func f() async throws {
      try await withCheckedThrowingContinuation { c in
        sdk.publisher.sink { end in
          if case .failure(let error) = end { c.resume(throwing: error) }
        } receiveValue: { c.resume(returning: $0) }.store(in: &bag)
      }
    }
    """
  let found = try #require(Report(source: source, kinds: Set(Kind.all))).findings
  #expect(found.map(\.kind.name) == debatable && found.map(\.line) == [3])
}
