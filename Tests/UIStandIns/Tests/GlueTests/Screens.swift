// Apart from the tests, because a file that imports both Testing and UIKit wants an overlay of the two.

import CooperativeCancellation
import Glue
import SwiftUI
import UIKit

struct FeatureAView: View {
  var body: Never { fatalError("never shown here") }
}

struct FeedView: View {
  let model: FeatureAViewModel

  var body: Never { fatalError("never shown here") }
}

@MainActor
final class FeatureAViewModel: TaskOwner {
  let tasks = TaskBag()

  func refresh() {
    addTask { try await waitForCancel() }
  }
}

final class FeatureAViewController: HostingViewController<FeatureAView, FeatureAViewModel> {
  override func viewDidLoad() {
    super.viewDidLoad()
    viewModel.refresh()
  }
}

final class PlainViewController: UIViewController {
  let viewModel = FeatureAViewModel()

  override func viewDidDisappear(_ animated: Bool) {
    super.viewDidDisappear(animated)
    cancelTasksIfGone(of: viewModel)
  }
}

@MainActor
func feed(_ model: FeatureAViewModel) -> some View {
  FeedView(model: model).cancelsTasks(of: model.tasks)
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
  ("in a navigation controller, covered", { $0.navigationController = .init() }, false),
  (
    "in a navigation controller that is dismissed",
    {
      $0.navigationController = .init()
      $0.navigationController?.isBeingDismissed = true
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
