// What a task in a bag costs, as a ratio against a bare task with the same body.
//
//     swift run -c release TaskBagCost
//
// All tasks run on the main queue's thread, so that no hop between threads hides the difference.

import CooperativeCancellation

@MainActor
func nanoseconds(_ count: Int, _ work: @MainActor () async throws -> Void) async rethrows -> Double
{
  let time = try await ContinuousClock().measure { try await work() }
  return time / .nanoseconds(1) / Double(count)
}

@MainActor
func run() async throws {
  let count = 100  // At once; with more, the memory that they need is what is measured.
  let bag = TaskBag()
  var ended = 0
  func finish() async {
    while ended < count { await Task.yield() }
    ended = 0
  }
  var rows: [(String, [Double])] = [
    ("bare Task", []), ("bag.add", []), ("bag.add(id:)", []), ("Task.store(in: bag)", []),
    ("Task.erased() and release", []),
  ]
  for _ in 0..<1_001 {
    rows[0].1.append(
      await nanoseconds(count) {
        for _ in 0..<count { Task { ended += 1 } }
        await finish()
      }
    )
    rows[1].1.append(
      await nanoseconds(count) {
        for _ in 0..<count { bag.add { ended += 1 } }
        await finish()
      }
    )
    rows[2].1.append(
      await nanoseconds(count) {
        for number in 0..<count { bag.add(id: number) { ended += 1 } }
        await finish()
      }
    )
    rows[3].1.append(
      await nanoseconds(count) {
        for _ in 0..<count { Task { ended += 1 }.store(in: bag) }
        await finish()
      }
    )
    rows[4].1.append(
      await nanoseconds(count) {
        for _ in 0..<count { _ = Task { ended += 1 }.erased(options: []) }
        await finish()
      }
    )
    try await bag.waitForAll()
  }
  for (name, values) in rows {
    let ratios = zip(values, rows[0].1).map { $0 / $1 }.sorted()
    let median = values.sorted()[values.count / 2]
    let ratio = (ratios[ratios.count / 2] * 100).rounded() / 100
    print("\(name): \(Int(median)) ns, \(ratio) of a bare task")
  }
}

try await run()
