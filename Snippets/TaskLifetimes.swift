// Tasks that end with their owner.

import CooperativeCancellation
import Observation

struct Post: Sendable {
  let title: String
}

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
await shutDown(model.taskBag)

// A screen that goes away early, with its task tied to it and without. A sleep stands in for the work.
for isTied in [true, false] {
  let viewModel = FeedModel()
  let work = { @Sendable in
    let isCancelled = (try? await Task.sleep(for: .milliseconds(200))) == nil
    print(isTied ? "tied:" : "left alone:", isCancelled ? "cancelled" : "worked for nobody")
  }
  if isTied { viewModel.taskBag.add { await work() } }
  let leftAlone = isTied ? nil : Task { await work() }
  viewModel.taskBag.cancelAll()  // As `HostingViewController` does when the screen has gone.
  try await viewModel.taskBag.waitForAll()
  await leftAlone?.value
}
