import TaskBags

@globalActor private actor Elsewhere {
  static let shared = Elsewhere()
}

extension Scenario {
  static let bagOrder = [addedElsewhere, addedThereToo, onMainActor]

  private static let addedElsewhere = Scenario(
    "bag: the order of add, from elsewhere",
    outcomes: ["first, second"]
  ) { run in
    let bag = TaskBag()
    run.thread("owner") {
      bag.add { @Elsewhere in run.saw("first") }
      bag.add(id: 2) { @Elsewhere in run.saw("second") }
    }
  }

  private static let addedThereToo = Scenario(
    "bag: the order of add, from elsewhere and there",
    outcomes: ["first, second, third"]
  ) { run in
    let bag = TaskBag()
    run.task("owner") {
      bag.add { @Elsewhere in run.saw("first") }
      await addThere(run, bag)
      bag.add { @Elsewhere in run.saw("third") }
    }
  }

  @Elsewhere private static func addThere(_ run: Run, _ bag: TaskBag) {
    bag.add { run.saw("second") }
  }

  private static let onMainActor = Scenario(
    "bag: the order of add, on the main actor",
    outcomes: ["first, second"]
  ) { run in
    let bag = TaskBag()
    run.thread("owner") {
      bag.add { @MainActor in run.saw("first") }
      bag.add { @MainActor in run.saw("second") }
    }
  }
}
