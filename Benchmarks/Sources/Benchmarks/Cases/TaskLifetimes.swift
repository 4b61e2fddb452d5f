import CooperativeCancellation
import LegacySDK

extension [Comparison] {
  static func taskLifetimes(on loop: Loop) -> [Comparison] {
    let home = Home(loop.serialWithoutPreference)
    let bag = TaskBag()
    // All at the same time. With more tasks, the result would depend on their memory.
    func against(
      _ name: String,
      atMost goal: Double,
      ours: @escaping @Sendable (Int) async -> Void
    ) -> Comparison {
      Comparison(name, to: "bare Task { … }", goal: .atMost(goal), on: loop, calls: 100, ours) {
        await home.bareTasks($0)
      }
    }
    return [
      against("bag.add { … }", atMost: 1.5) { await home.add($0, to: bag) },
      against("bag.add(id:) { … }", atMost: 1.75) { await home.addByID($0, to: bag) },
    ]
  }
}

/// An actor on a loop.
private actor Home {
  private let loop: Loop.Serial
  private var sum = 0

  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  init(_ loop: Loop.Serial) {
    self.loop = loop
  }

  private func work() { sum += 1 }

  func bareTasks(_ count: Int) {
    for _ in 0..<count {
      Task { work() }
    }
  }

  func add(_ count: Int, to bag: TaskBag) {
    for _ in 0..<count {
      bag.add { self.work() }
    }
  }

  func addByID(_ count: Int, to bag: TaskBag) {
    for number in 0..<count {
      bag.add(id: number) { self.work() }
    }
  }
}
