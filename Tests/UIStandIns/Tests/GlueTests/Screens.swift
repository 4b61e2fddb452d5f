// Apart from the tests, because a file that imports both Testing and UIKit wants an overlay of the two.

import CooperativeCancellation
import Glue
import SwiftUI
import UIKit

struct FeatureAView: View {
  var body: Never { fatalError("never shown here") }
}

@MainActor
final class FeatureAViewModel: TaskOwner {
  let tasks = TaskBag()
}

final class FeatureAViewController: HostingViewController<FeatureAView, FeatureAViewModel> {
  override func viewDidLoad() {
    super.viewDidLoad()
    viewModel.addTask { try await waitForCancel() }
  }
}

final class PlainViewController: UIViewController {
  let viewModel = FeatureAViewModel()

  override func viewDidDisappear(_ animated: Bool) {
    super.viewDidDisappear(animated)
    cancelTasksIfGone(of: viewModel)
  }
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
