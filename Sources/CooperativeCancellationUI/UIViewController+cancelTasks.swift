#if canImport(UIKit) && !os(watchOS)
  public import CooperativeCancellation
  public import UIKit

  extension UIViewController {
    /// Cancels the tasks of a view model if this screen has gone for good: call it when the screen has disappeared, and
    /// when it was taken out of its container.
    ///
    /// ```swift
    /// override func viewDidDisappear(_ animated: Bool) {
    ///   super.viewDidDisappear(animated)
    ///   cancelTasksIfGone(of: viewModel)
    /// }
    ///
    /// override func didMove(toParent parent: UIViewController?) {
    ///   super.didMove(toParent: parent)
    ///   if parent == nil { cancelTasksIfGone(of: viewModel) }
    /// }
    /// ```
    ///
    /// The second one is for a screen that is popped while another covers it: it does not disappear then.
    ///
    /// A screen that is being dismissed, or is in a container that is, has gone. Otherwise the main actor's next turn
    /// decides, when a screen that only changes its container is in the other one: it has gone if its outermost
    /// container is in no window, is not presented and presents nothing. Nothing happens while it is merely covered.
    /// Not for `viewWillDisappear`: a swipe back that is begun and given up calls that too.
    public func cancelTasksIfGone(of owner: some TaskOwner) {
      cancelTasksIfGone(of: owner.taskBag)
    }

    /// Cancels the tasks of a bag if this screen has gone for good, as for a view model.
    public func cancelTasksIfGone(of bag: TaskBag) {
      if sequence(first: self, next: \.parent).contains(where: \.isBeingDismissed) {
        return bag.cancelAll()
      }
      Task { [weak self] in
        if self?.isNowhere ?? true { bag.cancelAll() }
      }
    }

    private var isNowhere: Bool {
      let outermost = sequence(first: self, next: \.parent).reduce(self) { $1 }
      return Whereabouts(
        isInWindow: outermost.viewIfLoaded?.window != nil,
        isPresented: outermost.presentingViewController != nil,
        isPresenting: outermost.presentedViewController != nil
      ).isNowhere
    }
  }
#endif
