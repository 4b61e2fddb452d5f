import CooperativeCancellation
import TaskBags
import Testing

@Suite("The glue for UIKit and SwiftUI", .watchdog)
@MainActor
struct GlueTests {
  private func check(_ model: FeedModel, end ends: Bool, _ name: String) async throws {
    if ends {
      try await model.taskBag.waitForAll()
    } else {
      // By then, the screen has made the decision that it postpones to the main actor's next turn.
      await turns()
      #expect(model.taskBag.count == 1, "\(name)")
    }
    #expect(model.taskBag.add {}, "it can be shown again")
    model.taskBag.cancelAll()
    try await model.taskBag.waitForAll()
    #expect(missingSuperCalls == [], "\(name)")
  }

  @Test func `a screen cancels its view model's tasks when it is gone, not when it is covered`()
    async throws
  {
    for fate in Fate.whenPushed {
      for screen in screens() {
        let app = App()
        app.push(screen)
        await fate.happen(app, screen)
        try await check(screen.viewModel, end: fate.ends, fate.name)
      }
    }
  }

  @Test
  func `a presented screen, alone or in a container, cancels them when it is gone`() async throws {
    for fate in Fate.whenPresented {
      for isAlone in [true, false] {
        for screen in screens() {
          let app = App()
          app.present(screen, isAlone: isAlone)
          await fate.happen(app, screen)
          try await check(screen.viewModel, end: fate.ends, fate.name)
          withExtendedLifetime(app) {}
        }
      }
    }
  }

  @Test func `a screen that is released before the decision is gone`() async throws {
    let models = screens().map { screen in
      let app = App()
      app.push(screen)
      app.pop()
      return screen.viewModel
    }
    for model in models { try await model.taskBag.waitForAll() }
  }

  @Test func `a screen in a container that is not shown yet is not gone`() async throws {
    for screen in screens() {
      screen.viewModel.refresh()
      let navigation = container(of: screen)
      try await check(screen.viewModel, end: false, "not shown yet")
      withExtendedLifetime(navigation) {}
    }
  }

  @Test func `a view's bag is cancelled when the view is removed, not when it is evaluated again`()
    async throws
  {
    let model = FeedModel()
    model.refresh()
    let place = Place()
    for _ in 0..<2 { place.show(model) }
    await turns()
    #expect(model.taskBag.count == 1)
    place.remove()
    try await model.taskBag.waitForAll()
    #expect(model.taskBag.add {})
  }

  @Test func `a view that gets a new bag cancels the old one at once, the new one on removal`()
    async throws
  {
    let (first, second) = (FeedModel(), FeedModel())
    first.refresh()
    second.refresh()
    let place = Place()
    place.show(first)
    place.show(second)
    try await first.taskBag.waitForAll()
    #expect(second.taskBag.count == 1)
    place.remove()
    try await second.taskBag.waitForAll()
  }
}
