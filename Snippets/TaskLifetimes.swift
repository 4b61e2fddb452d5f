// Tasks that end with their owner.

import CooperativeCancellation
import Observation
import TaskBags

struct Post: Sendable { let title: String }

struct FeedService: Sendable {
  func posts() async throws -> [Post] { [Post(title: "Hello")] }
}

@MainActor @Observable
final class FeedModel {
  let taskBag = TaskBag()
  private let service = FeedService()
  private(set) var posts: [Post] = []

  func refresh() {
    taskBag.add(id: "refresh") { [weak self, service] in
      let posts = try await service.posts()
      try checkpoint()
      self?.posts = posts
    }
  }
}

func listen() async { print("listening") }

var tasks: Set<AnyTask> = []
Task { await listen() }.store(in: &tasks)
// When `tasks` is destroyed, the task is cancelled.

func shutDown(_ connections: TaskBag) async {
  await connections.drain(cancellingAfter: .seconds(10))
}

let model = FeedModel()
model.refresh()
try await model.taskBag.waitForAll()
print(model.posts.map(\.title))

// A screen that goes away early.
model.taskBag.add { print("cancelled:", (try? await Task.sleep(for: .seconds(3600))) == nil) }
model.taskBag.cancelAll()  // As `HostingViewController` does when the screen has gone.
await shutDown(model.taskBag)
