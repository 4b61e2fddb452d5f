import CooperativeCancellation
import Testing

@Suite("The glue to UIKit and SwiftUI", .timeLimit(.minutes(1)))
@MainActor
struct GlueTests {
  private func run(_ owner: some TaskOwner, ends: Bool, _ name: String) async throws {
    if ends {
      try await owner.tasks.waitForAll()
    } else {
      for _ in 0..<10 { await Task.yield() }
      #expect(owner.tasks.count == 1, "\(name)")
    }
    owner.cancelAll()
    try await owner.tasks.waitForAll()
  }

  @Test
  func `a hosting screen cancels its view model's tasks when it has gone, not when it is covered`()
    async throws
  {
    for (name, happen, ends) in disappearances {
      let screen = FeatureAViewController(rootView: FeatureAView(), viewModel: FeatureAViewModel())
      screen.viewDidLoad()
      happen(screen)
      screen.viewDidDisappear(true)
      try await run(screen.viewModel, ends: ends, name)
    }
  }

  @Test
  func `so does a plain screen`() async throws {
    for (name, happen, ends) in disappearances {
      let screen = PlainViewController()
      screen.viewModel.addTask { try await waitForCancel() }
      happen(screen)
      screen.viewDidDisappear(true)
      try await run(screen.viewModel, ends: ends, name)
    }
  }

  @Test
  func `a view's bag is cancelled when the view is removed, not when it is evaluated again`()
    async throws
  {
    let bag = TaskBag()
    bag.add { try await waitForCancel() }
    do {
      let shown = showView(with: bag)
      for _ in 0..<10 { await Task.yield() }
      #expect(bag.count == 1)
      withExtendedLifetime(shown) {}
    }
    try await bag.waitForAll()
  }
}
