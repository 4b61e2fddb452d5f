// One line instead of repeated cancellation checks.

import CooperativeCancellation

actor Importer {
  private(set) var log: [String] = []

  private func step(_ name: String) async { log.append(name) }
  private func deletePartialImport() async { log.append("deleted the partial import") }

  // snippet.scope
  func importAll() async throws {
    try await withCancellationCleanUp {
      try checkpoint()
      await step("downloaded")
      try checkpoint()
      await step("parsed")
      try checkpoint()
      await step("stored")
    } cleanUp: {
      await self.deletePartialImport()
    }
  }
  // snippet.end
}

// snippet.loop
func checksum(of blocks: [[UInt8]]) async throws -> Int {
  var pace = PacedCheckpoint(every: .milliseconds(10))
  var sum = 0
  for block in blocks {
    for byte in block { sum = (sum &* 31) &+ Int(byte) }
    try await pace.yieldingCheckpoint()
  }
  return sum
}
// snippet.end

let importer = Importer()
try await importer.importAll()
print(await importer.log)

let cancelled = Importer()
let task = Task {
  withUnsafeCurrentTask { $0?.cancel() }
  try await cancelled.importAll()
}
print(await task.result, await cancelled.log)
print(try await checksum(of: [[1, 2, 3], [4, 5, 6]]))
