import ContinuationChecks
import Testing

@Test func `a handler in a caller is listed, in another file and some calls away`() {
  var list = WaitList()
  list.add(
    """
    func value() async throws -> Int {
      try await withCancellableThrowingContinuation { waiting.append($0) }
    }
    func kept() async throws -> Int {
      try await withCancellableThrowingContinuation(whenCancelled: .ignoreCancellation) { _ in }
    }
    """,
    in: "Job.swift"
  )
  list.add("var result: Int { get async throws { try await job.value() } }", in: "Result.swift")
  list.add(
    """
    func run() async throws -> Int {
      try await withTaskCancellationHandler { try await job.result } onCancel: { work.cancel() }
    }
    """,
    in: "Queue.swift"
  )
  #expect(
    list.lines == [
      "Job.swift:2: a cancelled task leaves the wait in `value`; handlers: Queue.swift:2"
    ]
  )
}

@Test func `a wait that no handler reaches is listed, too`() {
  var list = WaitList()
  list.add(
    "func f() async throws { try await withCancellableThrowingContinuation { c in } }",
    in: "A.swift"
  )
  #expect(list.lines.count == 1 && list.lines[0].hasSuffix("handlers: no handler in a caller"))
}
