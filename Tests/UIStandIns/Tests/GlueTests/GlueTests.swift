import CooperativeCancellation
import Testing

@Suite("The glue for UIKit and SwiftUI", .watchdog)
@MainActor
struct GlueTests {
  private func run(_ bag: TaskBag, ends: Bool, _ name: String) async throws {
    if ends {
      try await bag.waitForAll()
    } else {
      // By then, the screen has made the decision that it postpones to the main actor's next turn.
      await turns()
      #expect(bag.count == 1, "\(name)")
    }
    #expect(bag.add {}, "it can be shown again")
    bag.cancelAll()
    try await bag.waitForAll()
    #expect(missingSuperCalls == [], "\(name)")
  }

  @Test
  func `a hosting screen cancels its view model's tasks when it is gone, not when it is covered`()
    async throws
  {
    for (name, happen, ends) in fates {
      let screen = FeatureAViewController(FeatureAViewModel())
      let app = App(showing: screen)
      await happen(app, screen)
      try await run(screen.viewModel.taskBag, ends: ends, name)
      #expect(screen.viewModel.printed == ["success is false"])
    }
  }

  @Test
  func `a plain screen cancels its view model's tasks when it is gone, not when it is covered`()
    async throws
  {
    for (name, happen, ends) in fates {
      let screen = PlainViewController()
      let app = App(showing: screen)
      screen.viewModel.taskBag.add { try await waitForCancellation() }
      await happen(app, screen)
      try await run(screen.viewModel.taskBag, ends: ends, name)
    }
  }

  @Test
  func `a presented screen, alone or in a container, cancels them when it is gone`() async throws {
    for (name, happen, ends) in presentedFates {
      for isAlone in [true, false] {
        let screen = PlainViewController()
        let app = App(showing: PlainViewController())
        screen.viewModel.taskBag.add { try await waitForCancellation() }
        app.navigation.present(outermost(of: screen, isAlone: isAlone), animated: true)
        await happen(screen)
        try await run(screen.viewModel.taskBag, ends: ends, name)
        withExtendedLifetime(app) {}
      }
    }
  }

  @Test
  func `a screen that is released before the decision is gone`() async throws {
    let model = FeatureAViewModel()
    model.taskBag.add { try await waitForCancellation() }
    do {
      let screen = FeatureAViewController(model)
      let app = App(showing: screen)
      app.navigation.popViewController(animated: true)
    }
    try await model.taskBag.waitForAll()
  }

  @Test
  func `a screen in a container that is not shown yet is not gone`() async throws {
    let plain = PlainViewController()
    let hosting = FeatureAViewController(FeatureAViewModel())
    let viewModels = [plain.viewModel, hosting.viewModel]
    for viewModel in viewModels { viewModel.taskBag.add { try await waitForCancellation() } }
    let containers = [outermost(of: plain, isAlone: false), outermost(of: hosting, isAlone: false)]
    for viewModel in viewModels { try await run(viewModel.taskBag, ends: false, "not shown yet") }
    withExtendedLifetime(containers) {}
  }

  @Test
  func `a view's bag is cancelled when the view is removed, not when it is evaluated again`()
    async throws
  {
    let bag = TaskBag()
    bag.add { try await waitForCancellation() }
    let place = Place()
    place.show(bag)
    place.show(bag)
    await turns()
    #expect(bag.count == 1)
    place.remove()
    try await bag.waitForAll()
    #expect(bag.add {})
  }

  @Test
  func `a view that gets a new bag cancels the old one at once, the new one on removal`()
    async throws
  {
    let (first, second) = (TaskBag(), TaskBag())
    first.add { try await waitForCancellation() }
    second.add { try await waitForCancellation() }
    let place = Place()
    place.show(first)
    place.show(second)
    try await first.waitForAll()
    #expect(second.count == 1)
    place.remove()
    try await second.waitForAll()
  }
}
