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
    /// Use it for work that the view model starts at any time and that continues while another screen covers
    /// the view. The tasks are cancelled when SwiftUI releases the view's state, perhaps some time after the
    /// view disappears. If several views are tied to one bag, the last one counts. A view that is given
    /// another bag is no longer tied to the previous one.
    ///
    /// SwiftUI's `.task` is enough for work that starts when the view appears and may end whenever it
    /// disappears, even if another screen merely covers it.
    public func cancelsTasks(of bag: TaskBag) -> some View {
      modifier(BagLifetimeModifier(bag: bag))
    }
  }

  private struct BagLifetimeModifier: ViewModifier {
    let bag: TaskBag
    @State var lifetime = BagLifetime()

    func body(content: Content) -> some View {
      // Called here, because SwiftUI evaluates the body initially and when the view is given another bag.
      // `onChange(of:initial:)` needs newer systems.
      lifetime.tie(bag)
      return content
    }
  }
#endif
