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

  func load() async { try? await waitForCancel() }
}

final class FeatureAViewController: HostingViewController<FeatureAView, FeatureAViewModel> {
  override func viewDidLoad() {
    super.viewDidLoad()
    viewModel.addTask { [weak self] in await self?.viewModel.load() }
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

/// A view that is shown, with a bag that ends with it; and evaluated once more, as SwiftUI does.
@MainActor
func showView(with bag: TaskBag) -> Any {
  let shown = FeatureAView().cancelsTasks(of: bag)
  (shown as? any Appearing)?.appear()
  _ = FeatureAView().cancelsTasks(of: bag)
  return shown
}

/// Lets a test show a modified view whose type it does not know.
@MainActor
protocol Appearing {
  func appear()
}

extension ModifiedView: Appearing {
  func appear() {
    let content = modifier.body(content: ModifierContent()) as? ModifierContent
    for action in content?.appearances ?? [] { action() }
  }
}
