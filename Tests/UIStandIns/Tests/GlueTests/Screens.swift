// In a file of its own: a file that imports both Testing and UIKit needs an overlay of the two.

import CooperativeCancellation
import Glue
import SwiftUI
import TaskBags
import UIKit

struct FeedView: View {
  let model: FeedModel

  var body: Never { fatalError("never shown here") }
}

@MainActor
final class FeedModel {
  let taskBag = TaskBag()

  func refresh() { taskBag.add { while true { try await yieldingCheckpoint() } } }
}

/// A screen that refreshes its view model when it is loaded.
@MainActor
protocol Screen: UIViewController {
  var viewModel: FeedModel { get }
}

final class FeedViewController: HostingViewController<FeedView, FeedModel> {
  override func viewDidLoad() {
    super.viewDidLoad()
    viewModel.refresh()
  }
}

extension FeedViewController: Screen {}

final class PlainViewController: UIViewController, Screen {
  let viewModel = FeedModel()

  override func viewDidLoad() {
    super.viewDidLoad()
    viewModel.refresh()
  }

  override func viewDidDisappear(_ animated: Bool) {
    super.viewDidDisappear(animated)
    cancelTasksIfGone(of: viewModel.taskBag)
  }

  override func didMove(toParent parent: UIViewController?) {
    super.didMove(toParent: parent)
    if parent == nil { cancelTasksIfGone(of: viewModel.taskBag) }
  }
}

/// One screen with a SwiftUI view, and one without.
@MainActor
func screens() -> [any Screen] { [feedViewController(FeedModel()), PlainViewController()] }

@MainActor
func feedViewController(_ model: FeedModel) -> FeedViewController {
  FeedViewController(rootView: FeedView(model: model), viewModel: model, taskBag: model.taskBag)
}

@MainActor
func feed(_ model: FeedModel) -> some View {
  FeedView(model: model).cancelsTasks(of: model.taskBag)
}

/// The overrides that have not called `super`.
@MainActor
var missingSuperCalls: [String] { UIViewController.missingSuperCalls }

/// A window with a navigation controller.
@MainActor
struct App {
  let window = UIWindow()
  let navigation = UINavigationController(rootViewController: UIViewController())

  init() { window.rootViewController = navigation }

  func push(_ screen: UIViewController) { navigation.pushViewController(screen, animated: true) }

  func pop() { navigation.popViewController(animated: true) }

  func cover() async {
    push(UIViewController())
    await turns()
  }

  func present(_ screen: UIViewController, isAlone: Bool) {
    navigation.present(isAlone ? screen : container(of: screen), animated: true)
  }
}

@MainActor
func container(of screen: UIViewController) -> UIViewController {
  UINavigationController(rootViewController: screen)
}

/// Lets the main actor run the work that is waiting for its next turns.
@MainActor
func turns() async {
  for _ in 0..<10 { await Task.yield() }
}

/// What can happen to a screen, and whether its tasks end then.
@MainActor
struct Fate {
  let name: String
  let ends: Bool
  let happen: @MainActor (App, UIViewController) async -> Void

  static let whenPushed = [
    Fate(name: "is on view", ends: false) { _, _ in },
    Fate(name: "is covered by another", ends: false) { app, _ in app.push(UIViewController()) },
    Fate(name: "is covered by one that it presents", ends: false) {
      $1.present(UIViewController(), animated: true)
    },
    Fate(name: "comes back", ends: false) { app, _ in
      await app.cover()
      app.pop()
    },
    Fate(name: "is popped", ends: true) { app, _ in app.pop() },
    Fate(name: "is popped while it is covered", ends: true) { app, _ in
      await app.cover()
      let root = app.navigation.viewControllers.prefix(1)
      app.navigation.setViewControllers(Array(root), animated: true)
    },
    Fate(name: "is taken from under another", ends: true) { app, screen in
      await app.cover()
      let others = app.navigation.viewControllers.filter { $0 !== screen }
      app.navigation.setViewControllers(others, animated: true)
    },
    // As when a split view collapses.
    Fate(name: "moves to another container", ends: false) { app, screen in
      let other = UINavigationController(rootViewController: UIViewController())
      let tabs = UITabBarController()
      tabs.viewControllers = [app.navigation, other]
      app.window.rootViewController = tabs
      app.navigation.popViewController(animated: false)
      other.pushViewController(screen, animated: false)
    },
    Fate(name: "goes with the window's root", ends: true) { app, _ in
      app.window.rootViewController = UIViewController()
    },
    Fate(name: "is in a tab that is not selected", ends: false) { app, _ in
      let tabs = UITabBarController()
      tabs.viewControllers = [app.navigation, UIViewController()]
      app.window.rootViewController = tabs
      tabs.selectedIndex = 1
    },
  ]

  static let whenPresented = [
    Fate(name: "is on view", ends: false) { _, _ in },
    Fate(name: "is covered", ends: false) { $1.present(UIViewController(), animated: true) },
    Fate(name: "comes back", ends: false) { _, screen in
      screen.present(UIViewController(), animated: true)
      await turns()
      screen.dismiss(animated: true)
    },
    Fate(name: "is dismissed", ends: true) { $1.dismiss(animated: true) },
  ]
}

/// A place on the screen that shows a view with a bag, and evaluates it again and again, as SwiftUI
/// does.
@MainActor
final class Place {
  private var shown: (any Evaluated)?

  func show(_ model: FeedModel) {
    let view = feed(model) as? any Evaluated
    view?.appear(after: shown)
    shown = view
  }

  func remove() { shown = nil }
}

/// Lets a test evaluate a modified view whose type it does not know.
@MainActor
protocol Evaluated {
  var states: [any AdoptableState] { get }
  func appear(after earlier: (any Evaluated)?)
}

extension ModifiedContent: @MainActor Evaluated where Content: View, Modifier: ViewModifier {
  var states: [any AdoptableState] {
    Mirror(reflecting: modifier).children.compactMap { $0.value as? any AdoptableState }
  }

  func appear(after earlier: (any Evaluated)?) {
    for (state, old) in zip(states, earlier?.states ?? []) { state.adopt(old) }
    _ = modifier.body(content: _ViewModifier_Content())
  }
}
