#if canImport(SwiftUI)
  public import SwiftUI
  public import TaskBags

  extension View {
    /// Cancels the tasks of a bag when this view has been removed, but not while it is covered.
    ///
    /// ```swift
    /// FeedView(model: model).cancelsTasks(of: model.taskBag)
    /// ```
    ///
    /// For work that the view model starts at any time and that continues while another screen
    /// covers the view. The tasks are cancelled when SwiftUI releases the view's state, perhaps
    /// after the view disappears. If several views are tied to one bag, the last one counts; a view
    /// that is given another bag leaves the previous one.
    ///
    /// For work that starts when the view appears and may end when it is merely covered, SwiftUI's
    /// `.task` is enough.
    public func cancelsTasks(of bag: TaskBag) -> some View {
      modifier(BagLifetimeModifier(bag: bag))
    }
  }

  private struct BagLifetimeModifier: ViewModifier {
    let bag: TaskBag
    @State var lifetime = BagLifetime()

    func body(content: Content) -> some View {
      // SwiftUI calls this at first, and for each new bag. `onChange(of:initial:)` needs newer
      // systems.
      lifetime.tie(bag)
      return content
    }
  }
#endif
