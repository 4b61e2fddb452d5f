#if canImport(SwiftUI)
  public import CooperativeCancellation
  public import SwiftUI

  extension View {
    /// Cancels the tasks of a bag when this view has been removed, not while it is merely covered.
    ///
    /// ```swift
    /// FeedView(model: model).cancelsTasks(of: bag)
    /// ```
    ///
    /// For work that the view model starts, at any time, and that goes on while another screen lies on top. It
    /// ends when SwiftUI releases the view's state, which may be later than the view disappears. Where several
    /// views are tied to one bag, as while one takes the place of another, the last of them counts. If the view
    /// is given another bag, the one before is no longer tied to it.
    ///
    /// SwiftUI's own `.task` is enough for work that begins when the view appears and belongs to it alone; it is
    /// cancelled whenever the view disappears, even if another screen was only pushed over it.
    public func cancelsTasks(of bag: TaskBag) -> some View {
      modifier(BagLifetimeModifier(bag: bag))
    }

    /// Cancels the tasks of a view model when this view has been removed, as for its bag.
    ///
    /// ```swift
    /// FeedView(model: model).cancelsTasks(of: model)
    /// ```
    public func cancelsTasks(of owner: some TaskOwner) -> some View {
      cancelsTasks(of: owner.taskBag)
    }
  }

  private struct BagLifetimeModifier: ViewModifier {
    let bag: TaskBag
    @State private var lifetime = BagLifetime()

    init(bag: TaskBag) {
      self.bag = bag
    }

    func body(content: Content) -> some View {
      // Here, because SwiftUI asks for the body at first, and again if the view is given another bag. Its own
      // `onChange(of:initial:)` is newer than the systems that this supports.
      lifetime.tie(bag)
      return content
    }
  }
#endif
