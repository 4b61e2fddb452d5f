// A stand-in for UIKit, with what the glue uses. What a test sets in it, UIKit sets on a device.

@MainActor
open class UIViewController {
  public init() {}

  public required init?(coder: NSCoder) {
    nil
  }

  open func viewDidLoad() {}
  open func viewDidDisappear(_ animated: Bool) {}
  open func didMove(toParent parent: UIViewController?) {}

  public var isBeingDismissed = false
  public var isMovingFromParent = false
  public var parent: UIViewController?
}

open class UINavigationController: UIViewController {}

open class UITabBarController: UIViewController {}

public final class NSCoder {}
