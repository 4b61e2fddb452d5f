#if canImport(UIKit) && !os(watchOS)
  public import CooperativeCancellation
  public import UIKit

  extension UIViewController {
    /// Cancels the tasks of a view model if this screen has gone for good: call it in `viewDidDisappear`.
    ///
    /// ```swift
    /// override func viewDidDisappear(_ animated: Bool) {
    ///   super.viewDidDisappear(animated)
    ///   cancelTasksIfGone(of: viewModel)
    /// }
    /// ```
    ///
    /// Nothing happens while the screen is merely covered. Not for `viewWillDisappear`: a swipe back that is
    /// begun and given up calls that too.
    public func cancelTasksIfGone(of owner: some TaskOwner) {
      let disappearance = Disappearance(
        isBeingDismissed: isBeingDismissed,
        isMovingFromParent: isMovingFromParent,
        isNavigationControllerBeingDismissed: navigationController?.isBeingDismissed ?? false
      )
      if disappearance.isFinal { owner.cancelAll() }
    }
  }
#endif
