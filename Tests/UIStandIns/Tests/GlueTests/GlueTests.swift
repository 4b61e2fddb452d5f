import CooperativeCancellation
import Testing

@Suite("The glue to UIKit and SwiftUI", .timeLimit(.minutes(10)))
@MainActor
struct GlueTests {
  private func run(_ owner: some TaskOwner, ends: Bool, _ name: String) async throws {
    if ends {
      try await owner.taskBag.waitForAll()
    } else {
      // What the screen decides on the main actor's next turn is decided by then.
      await turns()
      #expect(owner.taskBag.count == 1, "\(name)")
    }
    #expect(!owner.taskBag.isClosed, "it can be shown again")
    owner.cancelAll()
    try await owner.taskBag.waitForAll()
    #expect(missingSuperCalls == [], "\(name)")
  }

  @Test
  func `a hosting screen cancels its view model's tasks when it has gone, not when it is covered`()
    async throws
  {
    for (name, happen, ends) in fates {
      let screen = FeatureAViewController(rootView: FeatureAView(), viewModel: FeatureAViewModel())
      let app = App(showing: screen)
      await happen(app, screen)
      try await run(screen.viewModel, ends: ends, name)
      #expect(screen.viewModel.printed == ["success is false"])
    }
  }

  @Test
  func `so does a plain screen`() async throws {
    for (name, happen, ends) in fates {
      let screen = PlainViewController()
      let app = App(showing: screen)
      screen.viewModel.addTask { try await waitForCancel() }
      await happen(app, screen)
      try await run(screen.viewModel, ends: ends, name)
    }
  }

  @Test
  func `and one that is presented, alone or in a container`() async throws {
    for (name, happen, ends) in presentedFates {
      for isAlone in [true, false] {
        let screen = PlainViewController()
        let app = App(showing: PlainViewController())
        screen.viewModel.addTask { try await waitForCancel() }
        app.navigation.present(outermost(of: screen, isAlone: isAlone), animated: true)
        await happen(screen)
        try await run(screen.viewModel, ends: ends, name)
        withExtendedLifetime(app) {}
      }
    }
  }

  @Test
  func `a screen that is released before it is decided has gone`() async throws {
    let model = FeatureAViewModel()
    model.addTask { try await waitForCancel() }
    do {
      let screen = FeatureAViewController(rootView: FeatureAView(), viewModel: model)
      let app = App(showing: screen)
      app.navigation.popViewController(animated: true)
    }
    try await model.taskBag.waitForAll()
  }

  @Test
  func `a screen in a container that is not shown yet has not gone`() async throws {
    let plain = PlainViewController()
    let hosting = FeatureAViewController(rootView: FeatureAView(), viewModel: FeatureAViewModel())
    let viewModels = [plain.viewModel, hosting.viewModel]
    for viewModel in viewModels { viewModel.addTask { try await waitForCancel() } }
    let containers = [outermost(of: plain, isAlone: false), outermost(of: hosting, isAlone: false)]
    for viewModel in viewModels { try await run(viewModel, ends: false, "not shown yet") }
    withExtendedLifetime(containers) {}
  }

  @Test
  func `a view's bag is cancelled when the view is removed, not when it is evaluated again`()
    async throws
  {
    let bag = TaskBag()
    bag.add { try await waitForCancel() }
    let place = Place()
    place.show(bag)
    place.show(bag)
    await turns()
    #expect(bag.count == 1)
    place.remove()
    try await bag.waitForAll()
  }

  @Test
  func `a view that is given an owner is tied to that one's bag`() async throws {
    let model = FeatureAViewModel()
    model.addTask { try await waitForCancel() }
    let place = Place()
    place.show(model)
    await turns()
    #expect(model.taskBag.count == 1)
    place.remove()
    try await model.taskBag.waitForAll()
    #expect(!model.taskBag.isClosed)
  }

  @Test
  func `a view that takes the place of another, with the same bag, keeps the tasks`() async throws {
    let bag = TaskBag()
    let (old, new) = (Place(), Place())
    old.show(bag)
    new.show(bag)
    bag.add { try await waitForCancel() }
    old.remove()
    await turns()
    #expect(bag.count == 1)
    new.remove()
    try await bag.waitForAll()
  }

  @Test
  func `a view that is given another bag cancels the first at once, and the other in the end`()
    async throws
  {
    let (first, second) = (TaskBag(), TaskBag())
    first.add { try await waitForCancel() }
    second.add { try await waitForCancel() }
    let place = Place()
    place.show(first)
    place.show(second)
    try await first.waitForAll()
    #expect(second.count == 1)
    place.remove()
    try await second.waitForAll()
  }
}
