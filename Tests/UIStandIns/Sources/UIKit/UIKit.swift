// A stand-in for UIKit: what the glue and its tests use, declared as UIKit declares it, so that
// what compiles here compiles there. Nothing can be set that UIKit does not let an app set.

public final class NSCoder {}
public final class Bundle {}

@MainActor
open class UIResponder {
  public init() {}
}

open class UIView: UIResponder {
  public internal(set) weak var window: UIWindow?
}

open class UIWindow: UIView {
  open var rootViewController: UIViewController? {
    didSet {
      oldValue?.disappear()
      rootViewController?.appear(in: self)
    }
  }
}

open class UIViewController: UIResponder {
  public init(nibName nibNameOrNil: String?, bundle nibBundleOrNil: Bundle?) {}

  public convenience override init() { self.init(nibName: nil, bundle: nil) }

  public required init?(coder: NSCoder) { nil }

  // MARK: What a subclass overrides

  open func viewDidLoad() { reached("viewDidLoad") }
  open func viewDidDisappear(_ animated: Bool) { reached("viewDidDisappear") }
  open func didMove(toParent parent: UIViewController?) { reached("didMove") }

  // MARK: Where it is

  open private(set) var viewIfLoaded: UIView?
  open internal(set) weak var parent: UIViewController?
  open internal(set) var children: [UIViewController] = []
  open private(set) var presentedViewController: UIViewController?
  open private(set) weak var presentingViewController: UIViewController?
  open private(set) var isBeingDismissed = false

  // UIKit's type.
  // swift-format-ignore
  open var view: UIView! {
    if let viewIfLoaded { return viewIfLoaded }
    let view = UIView()
    viewIfLoaded = view
    call("viewDidLoad") { viewDidLoad() }
    return view
  }

  // MARK: What happens to it

  /// Covers the whole screen, as `.fullScreen` does.
  open func present(_ viewController: UIViewController, animated: Bool) {
    let covered = outermost
    guard let window = covered.view.window else { return }
    covered.presentedViewController = viewController
    viewController.presentingViewController = covered
    covered.disappear()
    viewController.appear(in: window)
  }

  /// Dismisses what this one presents, or else this one.
  open func dismiss(animated: Bool) {
    let presenting = outermost
    guard let dismissed = presenting.presentedViewController else {
      presenting.presentingViewController?.dismiss(animated: animated)
      return
    }
    // If several are stacked, only the last one disappears; the ones in between are not told.
    let all = sequence(first: dismissed) { $0.presentedViewController }.map { $0 }
    let window = all.last?.view.window
    all.last?.isBeingDismissed = true
    all.last?.disappear()
    all.last?.isBeingDismissed = false
    if let window { presenting.appear(in: window) }
    // UIKit does not document when it clears `presentingViewController`: here, some turns later.
    Task {
      for _ in 0..<5 { await Task.yield() }
      for one in all {
        one.presentedViewController = nil
        one.presentingViewController = nil
      }
      presenting.presentedViewController = nil
    }
  }

  // MARK: For the stand-ins themselves

  /// The overrides that did not call `super`, by name.
  public static var missingSuperCalls: [String] = []
  private var reachedBase: [String] = []

  private func reached(_ name: String) { reachedBase.append(name) }

  private func call(_ name: String, _ body: () -> Void) {
    reachedBase = []
    body()
    if !reachedBase.contains(name) { UIViewController.missingSuperCalls.append(name) }
  }

  private var outermost: UIViewController {
    sequence(first: self) { $0.parent }.reduce(self) { $1 }
  }

  var visibleChildren: [UIViewController] { children }

  func appear(in window: UIWindow) {
    view.window = window
    for child in visibleChildren { child.appear(in: window) }
  }

  func disappear() {
    guard viewIfLoaded?.window != nil else { return }
    viewIfLoaded?.window = nil
    for child in visibleChildren { child.disappear() }
    call("viewDidDisappear") { viewDidDisappear(true) }
  }

  func enter(_ container: UIViewController) {
    parent = container
    call("didMove") { didMove(toParent: container) }
  }

  /// Leaves its container after it has been removed from it.
  func leave() {
    disappear()
    parent = nil
    call("didMove") { didMove(toParent: nil) }
  }
}

open class UINavigationController: UIViewController {
  public convenience init(rootViewController: UIViewController) {
    self.init(nibName: nil, bundle: nil)
    setViewControllers([rootViewController], animated: false)
  }

  open var viewControllers: [UIViewController] { children }

  override var visibleChildren: [UIViewController] { children.suffix(1) }

  open func pushViewController(_ viewController: UIViewController, animated: Bool) {
    setViewControllers(children + [viewController], animated: animated)
  }

  @discardableResult
  open func popViewController(animated: Bool) -> UIViewController? {
    let last = children.last
    setViewControllers(children.dropLast(), animated: animated)
    return last
  }

  open func setViewControllers(_ viewControllers: [UIViewController], animated: Bool) {
    let old = children
    children = viewControllers
    // The one on top disappears, whether it is popped or covered; those under it have done so
    // before.
    let leaving = old.filter { one in !viewControllers.contains { $0 === one } }
    if let top = old.last, top !== viewControllers.last, !leaving.contains(where: { $0 === top }) {
      top.disappear()
    }
    for one in leaving.reversed() { one.leave() }
    for one in viewControllers where !old.contains(where: { $0 === one }) { one.enter(self) }
    if let window = viewIfLoaded?.window { viewControllers.last?.appear(in: window) }
  }
}

open class UITabBarController: UIViewController {
  open var viewControllers: [UIViewController]? {
    didSet {
      children = viewControllers ?? []
      for one in children { one.enter(self) }
    }
  }

  open var selectedIndex = 0 {
    didSet {
      guard oldValue != selectedIndex else { return }
      children[oldValue].disappear()
      if let window = viewIfLoaded?.window { children[selectedIndex].appear(in: window) }
    }
  }

  override var visibleChildren: [UIViewController] {
    children.isEmpty ? [] : [children[selectedIndex]]
  }
}
