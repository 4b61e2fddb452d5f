#if canImport(UIKit) && !os(watchOS)
  public import TaskBags
  public import UIKit

  extension UIViewController {
    /// Cancels a bag's tasks if this screen is gone for good. Call it when it has disappeared or
    /// left its container.
    ///
    /// ```swift
    /// override func viewDidDisappear(_ animated: Bool) {
    ///   super.viewDidDisappear(animated)
    ///   cancelTasksIfGone(of: viewModel.taskBag)
    /// }
    ///
    /// override func didMove(toParent parent: UIViewController?) {
    ///   super.didMove(toParent: parent)
    ///   if parent == nil { cancelTasksIfGone(of: viewModel.taskBag) }
    /// }
    /// ```
    ///
    /// The second method covers a screen that is popped while another one covers it: such a screen
    /// does not disappear.
    ///
    /// The screen is gone if it, or a container of it, is being dismissed. Otherwise, the next turn
    /// of the main actor decides, so that a screen may move between containers: it is gone if its
    /// outermost container is in no window, is not presented, and presents nothing. Do not call it
    /// in `viewWillDisappear`, which is also called for a swipe back that the user abandons.
    public func cancelTasksIfGone(of bag: TaskBag) {
      if sequence(first: self, next: \.parent).contains(where: \.isBeingDismissed) {
        return bag.cancelAll()
      }
      Task { [weak self] in
        if self?.hasGone ?? true { bag.cancelAll() }
      }
    }

    private var hasGone: Bool {
      let outermost = sequence(first: self, next: \.parent).reduce(self) { $1 }
      return outermost.viewIfLoaded?.window == nil && outermost.presentingViewController == nil
        && outermost.presentedViewController == nil
    }
  }
#endif
