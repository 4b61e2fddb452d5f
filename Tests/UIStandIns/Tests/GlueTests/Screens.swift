// In a file of its own: a file that imports both Testing and UIKit needs an overlay of the two.

import CooperativeCancellation
import Glue
import SwiftUI
import UIKit

struct FeatureAView: View {
  var body: Never { fatalError("never shown here") }
}

struct FeedView: View {
  let model: FeedModel

  var body: Never { fatalError("never shown here") }
}

@MainActor
final class FeatureAViewModel {
  let taskBag = TaskBag()
  var printed: [String] = []

  func sleep() async -> Bool {
    do {
      try await Task.sleep(for: .seconds(3600))
      return true
    } catch {
      return false
    }
  }
}

final class FeatureAViewController: HostingViewController<FeatureAView, FeatureAViewModel> {
  convenience init(_ viewModel: FeatureAViewModel) {
    self.init(rootView: FeatureAView(), viewModel: viewModel, taskBag: viewModel.taskBag)
  }

  override func viewDidLoad() {
    super.viewDidLoad()

    viewModel.taskBag.add { [weak self] in
      let success = await self?.viewModel.sleep() ?? false

      // after waiting sleeping hours, print log
      self?.viewModel.printed.append("success is \(success)")
    }
  }
}

final class PlainViewController: UIViewController {
  let viewModel = FeatureAViewModel()

  override func viewDidDisappear(_ animated: Bool) {
    super.viewDidDisappear(animated)
    cancelTasksIfGone(of: viewModel.taskBag)
  }

  override func didMove(toParent parent: UIViewController?) {
    super.didMove(toParent: parent)
    if parent == nil { cancelTasksIfGone(of: viewModel.taskBag) }
  }
}

@MainActor
final class FeedModel {
  let taskBag = TaskBag()

  func refresh() {
    taskBag.add { try await waitForCancellation() }
  }
}

final class FeedViewController: HostingViewController<FeedView, FeedModel> {
  override func viewDidLoad() {
    super.viewDidLoad()
    viewModel.refresh()
  }
}

@MainActor
func feedViewController(_ model: FeedModel) -> UIViewController {
  FeedViewController(rootView: FeedView(model: model), viewModel: model, taskBag: model.taskBag)
}

@MainActor
func feed(_ model: FeedModel) -> some View {
  FeedView(model: model).cancelsTasks(of: model.taskBag)
}

/// The overrides that have not called `super`.
@MainActor
var missingSuperCalls: [String] { UIViewController.missingSuperCalls }

/// A screen, or a navigation controller that has it.
@MainActor
func outermost(of screen: UIViewController, isAlone: Bool) -> UIViewController {
  isAlone ? screen : UINavigationController(rootViewController: screen)
}

/// Goes on until it is cancelled.
func waitForCancellation() async throws {
  while true { try await yieldingCheckpoint() }
}

/// A window with a navigation controller, on which a screen is pushed.
@MainActor
struct App {
  let window = UIWindow()
  let navigation = UINavigationController(rootViewController: UIViewController())

  init(showing screen: UIViewController) {
    window.rootViewController = navigation
    navigation.pushViewController(screen, animated: true)
  }

  func cover() { navigation.pushViewController(UIViewController(), animated: true) }
}

/// Lets the main actor run the work that is waiting for its next turns.
@MainActor
func turns() async {
  for _ in 0..<10 { await Task.yield() }
}

/// What can happen to a screen on a navigation controller, and whether its tasks end then.
@MainActor
let fates: [(name: String, happen: @MainActor (App, UIViewController) async -> Void, ends: Bool)] =
  [
    ("is on view", { _, _ in }, false),
    ("is covered by another", { app, _ in app.cover() }, false),
    (
      "is covered by one that it presents", { $1.present(UIViewController(), animated: true) },
      false
    ),
    (
      "comes back",
      { app, _ in
        app.cover()
        await turns()
        app.navigation.popViewController(animated: true)
      }, false
    ),
    ("is popped", { app, _ in app.navigation.popViewController(animated: true) }, true),
    (
      "is popped while it is covered",
      { app, _ in
        app.cover()
        await turns()
        app.navigation.popToRootViewController(animated: true)
      }, true
    ),
    (
      "is taken from under another",
      { app, screen in
        app.cover()
        await turns()
        let others = app.navigation.viewControllers.filter { $0 !== screen }
        app.navigation.setViewControllers(others, animated: true)
      }, true
    ),
    (
      "moves to another container, as when a split view collapses",
      { app, screen in
        let other = UINavigationController(rootViewController: UIViewController())
        let tabs = UITabBarController()
        tabs.viewControllers = [app.navigation, other]
        app.window.rootViewController = tabs
        app.navigation.popViewController(animated: false)
        other.pushViewController(screen, animated: false)
      }, false
    ),
    (
      "goes with the window's root",
      { app, _ in app.window.rootViewController = UIViewController() },
      true
    ),
    (
      "is in a tab that is not selected",
      { app, _ in
        let tabs = UITabBarController()
        tabs.viewControllers = [app.navigation, UIViewController()]
        app.window.rootViewController = tabs
        tabs.selectedIndex = 1
      }, false
    ),
  ]

/// What can happen to a presented screen: alone, or in a navigation controller.
@MainActor
let presentedFates:
  [(name: String, happen: @MainActor (UIViewController) async -> Void, ends: Bool)] = [
    ("is on view", { _ in }, false),
    ("is covered", { $0.present(UIViewController(), animated: true) }, false),
    (
      "comes back",
      {
        $0.present(UIViewController(), animated: true)
        await turns()
        $0.dismiss(animated: true)
      }, false
    ),
    ("is dismissed", { $0.dismiss(animated: true) }, true),
  ]

/// A place on the screen that shows a view with a bag, and evaluates it again and again, as SwiftUI does.
@MainActor
final class Place {
  private var shown: (any Evaluated)?

  func show(_ bag: TaskBag) {
    let view = FeatureAView().cancelsTasks(of: bag) as? any Evaluated
    view?.appear(after: shown)
    shown = view
  }

  func remove() {
    shown = nil
  }
}

/// Lets a test evaluate a modified view whose type it does not know.
@MainActor
protocol Evaluated {
  var states: [any AdoptableState] { get }
  func evaluateBody()
}

extension Evaluated {
  func appear(after earlier: (any Evaluated)?) {
    for (state, old) in zip(states, earlier?.states ?? []) { state.adopt(old) }
    evaluateBody()
  }
}

extension ModifiedContent: @MainActor Evaluated where Content: View, Modifier: ViewModifier {
  var states: [any AdoptableState] {
    Mirror(reflecting: modifier).children.compactMap { $0.value as? any AdoptableState }
  }

  func evaluateBody() {
    _ = modifier.body(content: _ViewModifier_Content())
  }
}
