// One line instead of repeated cancellation checks.

import CooperativeCancellation

actor Importer {
  private(set) var log: [String] = []

  private func step(_ name: String) async { log.append(name) }
  private func title(of page: String) throws -> String { page }
  private func deletePartialImport() async { log.append("deleted the partial import") }

  func importAll() async throws {
    try await withCancellationCleanup {
      try checkpoint()
      await step("downloaded")
      try checkpoint()
      await step("parsed")
      try checkpoint()
      await step("stored")
    } cleanup: {
      await self.deletePartialImport()
    }
  }

  func index(_ pages: [String]) throws {
    do {
      for page in pages {
        try checkpoint()
        log.append(try title(of: page))
      }
    } catch {
      if error is CancellationError || Task.isCancelled { log.removeAll() }
      throw error
    }
  }
}

func compress(_ block: [UInt8]) {}

func compressAll(_ blocks: [[UInt8]]) async throws {
  for block in blocks {
    compress(block)
    try await yieldingCheckpoint()
  }
}

func sum(of numbers: [Int]) throws -> Int {
  var sum = 0
  var pace = PacedCheckpoint(every: 1_000)
  for number in numbers {
    sum += number
    try pace.checkpoint()
  }
  return sum
}

func checksum(of blocks: [[UInt8]]) async throws -> Int {
  var pace = PacedCheckpoint(every: .milliseconds(10), readingClockEvery: 1)
  var sum = 0
  for block in blocks {
    for byte in block { sum = (sum &* 31) &+ Int(byte) }
    try await pace.yieldingCheckpoint()
  }
  return sum
}

/// What not to write, and what to write.
struct Rules {
  func forgetsTheCharge(_ card: String) async throws {
    let receipt = try await charge(card)
    try checkpoint()  // Cancelled here, the charge is forgotten.
    await save(receipt)
  }

  func keepsTheCharge(_ card: String) async throws {
    try checkpoint()
    let receipt = try await charge(card)
    await save(receipt)
  }

  func renderAll(_ pages: [String]) throws {
    for page in pages {
      try checkpoint()
      render(page)
    }
  }

  private func render(_ page: String) {}
  private func charge(_ card: String) async throws -> String { card }
  private func save(_ receipt: String) async {}
}

let importer = Importer()
try await importer.importAll()
print(await importer.log)

let cancelled = Importer()
let task = Task {
  withUnsafeCurrentTask { $0?.cancel() }
  do { try await cancelled.importAll() } catch { print(error, await cancelled.log) }
  try await cancelled.index(["title", "contents"])
}
print(await task.result, await cancelled.log)
try await compressAll([[1, 2, 3], [4, 5, 6]])
print(try await checksum(of: [[1, 2, 3], [4, 5, 6]]), try sum(of: [1, 2, 3]))
try await Rules().keepsTheCharge("card")
