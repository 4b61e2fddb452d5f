import CooperativeCancellation
import TaskBags
import Testing

// A test of a view model whose methods begin tasks: the code of the page "Test your wrapper".

@MainActor
final class TimelineModel {
  let taskBag = TaskBag()
  private let load: @Sendable () async throws -> [String]
  private(set) var posts: [String] = []

  init(load: @escaping @Sendable () async throws -> [String]) {
    self.load = load
  }

  func refresh() {
    taskBag.add(id: "refresh") { [weak self, load] in
      let posts = try await load()
      try checkpoint()
      self?.posts = posts
    }
  }

  func stop() { taskBag.cancel(id: "refresh") }
}

@Suite("A view model")
@MainActor
struct ViewModelTests {
  @Test func `a refresh shows the posts`() async throws {
    let model = TimelineModel { ["Hello"] }
    model.refresh()
    try await model.taskBag.waitForAll()
    #expect(model.posts == ["Hello"])
  }

  @Test func `the stop button ends a refresh`() async throws {
    let model = TimelineModel {
      await waitForCancellation()
      return ["Hello"]
    }
    model.refresh()
    model.stop()
    try await model.taskBag.waitForAll()
    #expect(model.posts.isEmpty)
  }
}
