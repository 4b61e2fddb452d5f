// A task that captures the owner of its bag without saying so.

import CooperativeCancellation
import TaskBags

@MainActor
final class Model {
  let taskBag = TaskBag()
  var name = ""

  func load() {
    taskBag.add { name = "loaded" }
  }
}
