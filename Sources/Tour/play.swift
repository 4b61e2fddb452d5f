import Foundation

/// Runs a scenario with a hand-written wrapper and with the library, each until an event that begins with `last` has
/// occurred. Prints both, side by side.
func play(
  _ title: String,
  byHand: @escaping @Sendable (Timeline) async throws -> String,
  bridged: @escaping @Sendable (Timeline) async throws -> String,
  cancelAfter time: Duration? = nil,
  until last: String
) async throws {
  let byHand = try await Timeline.recording(byHand, cancelAfter: time, until: last)
  let bridged = try await Timeline.recording(bridged, cancelAfter: time, until: last)
  let left = ["hand-written"] + byHand.lines
  let right = ["with the library"] + bridged.lines
  let width = left.reduce(0) { max($0, $1.count) } + 3
  print(title, terminator: "\n\n")
  for index in 0..<max(left.count, right.count) {
    let first = index < left.count ? left[index] : ""
    let second = index < right.count ? right[index] : ""
    let padding = String(repeating: " ", count: second.isEmpty ? 0 : width - first.count)
    print("  \(first)\(padding)\(second)")
  }
  print()
  fflush(nil)  // Also into a pipe.
}
