#if canImport(UIKit) && canImport(SwiftUI) && !os(watchOS)
  public import SwiftUI
  public import TaskBags
  public import UIKit

  /// Shows a SwiftUI view, and cancels a bag's tasks when the screen, or its container, is
  /// dismissed or popped.
  ///
  /// ```swift
  /// final class FeedViewController: HostingViewController<FeedView, FeedModel> {
  ///   override func viewDidLoad() {
  ///     super.viewDidLoad()
  ///     viewModel.refresh()
  ///   }
  /// }
  /// ```
  ///
  /// ```swift
  /// FeedViewController(rootView: FeedView(model: model), viewModel: model, taskBag: model.taskBag)
  /// ```
  open class HostingViewController<Content: View, ViewModel>: UIHostingController<Content> {
    /// The view model, for subclasses.
    public let viewModel: ViewModel

    private let taskBag: TaskBag

    /// Shows `rootView`. The tasks in `taskBag` may run while the screen exists.
    public init(rootView: Content, viewModel: ViewModel, taskBag: TaskBag) {
      self.viewModel = viewModel
      self.taskBag = taskBag
      super.init(rootView: rootView)
    }

    /// Not available: an archive has no view model.
    @available(*, unavailable)
    public required init?(coder: NSCoder) {
      return nil
    }

    /// Cancels the tasks if the screen is gone for good.
    override open func viewDidDisappear(_ animated: Bool) {
      super.viewDidDisappear(animated)
      cancelTasksIfGone(of: taskBag)
    }

    /// Cancels the tasks if the screen was popped while it was covered, because then it does not
    /// disappear.
    override open func didMove(toParent parent: UIViewController?) {
      super.didMove(toParent: parent)
      if parent == nil { cancelTasksIfGone(of: taskBag) }
    }
  }
#endif
