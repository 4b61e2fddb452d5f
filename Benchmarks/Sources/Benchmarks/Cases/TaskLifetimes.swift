import CooperativeCancellation
import LegacySDK

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

  func addByHand(_ count: Int, to bag: HandWrittenBag) {
    for _ in 0..<count {
      bag.add { self.work() }
    }
  }

  func count(_ count: Int, in tasks: CountedTasks) {
    for _ in 0..<count {
      tasks.add { self.work() }
    }
  }

  func addByID(_ count: Int, to bag: TaskBag) {
    for number in 0..<count {
      bag.add(id: number) { self.work() }
    }
  }

  func store(_ count: Int, in bag: TaskBag) {
    for _ in 0..<count {
      Task { work() }.store(in: bag)
    }
  }

  func erasedTasks(_ count: Int) {
    for _ in 0..<count {
      use(Task { work() }.erased(options: []))
    }
  }
}

extension [Comparison] {
  static func taskLifetimes(on loop: Loop) -> [Comparison] {
    let home = Home(loop.serial)
    let bag = TaskBag()
    let bagByHand = HandWrittenBag()
    let counted = CountedTasks()

    func comparison(
      _ name: String,
      _ goal: Comparison.Goal,
      _ work: @escaping @Sendable (isolated Home, Int) -> Void
    ) -> Comparison {
      // At the same time. With more tasks, the result would depend on their memory.
      Comparison(name, to: "bare Task { … }", goal: goal, on: loop, calls: 100) {
        await work(home, $0)
      } against: {
        await home.bareTasks($0)
      }
    }
    return [
      comparison("bag.add { … }", .atMost(1.3)) { $0.add($1, to: bag) },
      Comparison("bag.add { … }", to: "by hand, in a dictionary", goal: .none, on: loop, calls: 100)
      {
        await home.add($0, to: bag)
      } against: {
        await home.addByHand($0, to: bagByHand)
      },
      comparison("by hand, the end only counted", .none) { $0.count($1, in: counted) },
      comparison("bag.add(id:) { … }", .atMost(1.4)) { $0.addByID($1, to: bag) },
      comparison("Task { … }.store(in: bag)", .none) { $0.store($1, in: bag) },
      comparison("AnyTask, made and released", .atMost(1.1)) { $0.erasedTasks($1) },
    ]
  }
}
