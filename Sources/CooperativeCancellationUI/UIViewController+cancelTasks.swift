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
    /// It has if it was dismissed or popped, or if one of the containers that it is in was: a navigation or tab
    /// bar controller, for instance. Nothing happens while the screen is merely covered. Not for
    /// `viewWillDisappear`: a swipe back that is begun and given up calls that too.
    public func cancelTasksIfGone(of owner: some TaskOwner) {
      cancelTasksIfGone(of: owner.taskBag)
    }

    /// Cancels the tasks of a bag if this screen has gone for good: call it in `viewDidDisappear`.
    public func cancelTasksIfGone(of bag: TaskBag) {
      let screenAndContainers = sequence(first: self) { $0.parent }
      let disappearances = screenAndContainers.map {
        Disappearance(
          isBeingDismissed: $0.isBeingDismissed,
          isMovingFromParent: $0.isMovingFromParent
        )
      }
      if Disappearance.isFinal(disappearances) { bag.cancelAll() }
    }
  }
#endif
