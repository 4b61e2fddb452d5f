// Apart from the tests, because a file that imports both Testing and UIKit wants an overlay of the two.

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

// As in the text that it is known from, with the superclass of the view model replaced by a protocol and a bag,
// and what it prints kept.
@MainActor
final class FeatureAViewModel: TaskOwner {
  let taskBag = TaskBag()
  var printed: [String] = []

  func sleep() async -> Bool {
    do {
      // wait 5 seconds
      try await Task.sleep(nanoseconds: 5_000_000_000)
      return true
    } catch {
      return false
    }
  }
}

final class FeatureAViewController: HostingViewController<FeatureAView, FeatureAViewModel> {
  override func viewDidLoad() {
    super.viewDidLoad()

    viewModel.addTask { [weak self] in
      let success = await self?.viewModel.sleep() ?? false

      // after waiting sleeping hours, print log
      self?.viewModel.printed.append("success is \(success)")
    }
  }

  func wasPushed() { didMove(toParent: UINavigationController()) }
  func wasPopped() { didMove(toParent: nil) }
}

final class PlainViewController: UIViewController {
  let viewModel = FeatureAViewModel()

  override func viewDidDisappear(_ animated: Bool) {
    super.viewDidDisappear(animated)
    cancelTasksIfGone(of: viewModel)
  }
}

@MainActor
final class FeedModel: TaskOwner {
  let taskBag = TaskBag()

  func refresh() {
    addTask { try await waitForCancel() }
  }
}

final class FeedViewController: HostingViewController<FeedView, FeedModel> {
  override func viewDidLoad() {
    super.viewDidLoad()
    viewModel.refresh()
  }
}

@MainActor
func feed(_ model: FeedModel) -> some View {
  FeedView(model: model).cancelsTasks(of: model)
}

@MainActor
func feed(_ model: FeedModel, _ bag: TaskBag) -> some View {
  FeedView(model: model).cancelsTasks(of: bag)
}

/// Goes on until it is cancelled.
func waitForCancel() async throws {
  while true { try await yieldingCheckpoint() }
}

/// What can happen to a screen, and whether its tasks end then.
@MainActor
let disappearances: [(name: String, happen: @MainActor (UIViewController) -> Void, ends: Bool)] = [
  ("covered", { _ in }, false),
  ("dismissed", { $0.isBeingDismissed = true }, true),
  ("popped", { $0.isMovingFromParent = true }, true),
  ("in a navigation controller, covered", { $0.parent = UINavigationController() }, false),
  (
    "in a navigation controller that is dismissed",
    {
      $0.parent = UINavigationController()
      $0.parent?.isBeingDismissed = true
    }, true
  ),
  (
    "in a tab of a controller that is popped",
    {
      $0.parent = UINavigationController()
      $0.parent?.parent = UITabBarController()
      $0.parent?.parent?.isMovingFromParent = true
    }, true
  ),
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
  var changes: [ModifierContent.Change] { get }
}

extension Evaluated {
  func appear(after earlier: (any Evaluated)?) {
    guard let earlier else {
      for change in changes where change.initial { change.action() }
      return
    }
    for (state, old) in zip(states, earlier.states) { state.adopt(old) }
    for (change, old) in zip(changes, earlier.changes) where change.value != old.value {
      change.action()
    }
  }
}

extension ModifiedView: Evaluated {
  var states: [any AdoptableState] {
    Mirror(reflecting: modifier).children.compactMap { $0.value as? any AdoptableState }
  }

  var changes: [ModifierContent.Change] {
    (modifier.body(content: ModifierContent()) as? ModifierContent)?.changes ?? []
  }
}
