#if canImport(SwiftUI)
  public import CooperativeCancellation
  public import SwiftUI

  extension View {
    /// Cancels the tasks of a bag when this view is removed, not while it is merely covered.
    ///
    /// ```swift
    /// FeedView(model: model).cancelsTasks(of: model.tasks)
    /// ```
    ///
    /// SwiftUI's own `.task` is enough for work that begins when the view appears and belongs to it alone; it
    /// is cancelled when the view disappears, even if another screen was only pushed over it. This is for work that the view model
    /// starts, at any time, and that goes on while another screen lies on top. If the view is given another
    /// bag, the tasks of the one before are cancelled.
    public func cancelsTasks(of bag: TaskBag) -> some View {
      modifier(BagLifetimeModifier(bag: bag))
    }
  }

  private struct BagLifetimeModifier: ViewModifier {
    let bag: TaskBag
    @State private var lifetime = BagLifetime()

    init(bag: TaskBag) {
      self.bag = bag
    }

    func body(content: Content) -> some View {
      // Once at first, and again if the view is given another bag.
      content.onChange(of: ObjectIdentifier(bag), initial: true) { lifetime.tie(bag) }
    }
  }
#endif
