// Tasks that end with their owner.

import CooperativeCancellation

struct Post: Sendable {
  let title: String
}

struct FeedService: Sendable {
  func posts() async throws -> [Post] { [Post(title: "Hello")] }
}

// snippet.model
@MainActor
final class FeedModel: TaskOwner {
  let tasks = TaskBag()
  private let service = FeedService()
  private(set) var posts: [Post] = []

  func refresh() {
    addTask(id: "refresh") { [weak self, service] in
      let posts = try await service.posts()
      try checkpoint()
      self?.posts = posts
    }
  }
}
// snippet.end

// snippet.anytask
var tasks: Set<AnyTask> = []
Task { print("listening") }.store(in: &tasks)
// snippet.end

// snippet.shutdown
func shutDown(_ bag: TaskBag) async throws {
  bag.close()
  try await bag.waitForAll()
}
// snippet.end

let model = FeedModel()
model.refresh()
try await model.tasks.waitForAll()
print(model.posts.map(\.title))
try await shutDown(model.tasks)
