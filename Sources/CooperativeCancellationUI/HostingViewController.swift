#if canImport(UIKit) && canImport(SwiftUI) && !os(watchOS)
  public import CooperativeCancellation
  public import SwiftUI
  public import UIKit

  /// Shows a SwiftUI view, and cancels its view model's tasks when the screen, or a container of it, was
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
  open class HostingViewController<Content: View, ViewModel: TaskOwner>: UIHostingController<
    Content
  >
  {
    /// The owner of the screen's tasks.
    public let viewModel: ViewModel

    /// Shows `rootView`. The tasks of `viewModel` may run while the screen exists.
    public init(rootView: Content, viewModel: ViewModel) {
      self.viewModel = viewModel
      super.init(rootView: rootView)
    }

    /// Not available: an archive has no view model.
    @available(*, unavailable)
    public required init?(coder: NSCoder) {
      return nil
    }

    /// Cancels the view model's tasks if the screen has gone for good.
    override open func viewDidDisappear(_ animated: Bool) {
      super.viewDidDisappear(animated)
      cancelTasksIfGone(of: viewModel)
    }

    /// Cancels the view model's tasks if the screen was popped while it was covered, because then it does not
    /// disappear.
    override open func didMove(toParent parent: UIViewController?) {
      super.didMove(toParent: parent)
      if parent == nil { cancelTasksIfGone(of: viewModel) }
    }
  }
#endif
