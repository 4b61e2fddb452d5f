// A stand-in for SwiftUI, with what the glue uses.

public import UIKit

@MainActor @preconcurrency
public protocol View {
  associatedtype Body: View
  var body: Body { get }
}

extension Never: View {
  public var body: Never { fatalError("a primitive view has no body") }
}

@MainActor
open class UIHostingController<Content: View>: UIViewController {
  public let rootView: Content

  public init(rootView: Content) {
    self.rootView = rootView
    super.init()
  }

  public required init?(coder: NSCoder) {
    nil
  }
}

@MainActor @preconcurrency
public protocol ViewModifier {
  associatedtype Body: View
  typealias Content = ModifierContent
  func body(content: Content) -> Body
}

/// What a modifier wraps; it records what should happen when the view appears.
public struct ModifierContent: View {
  public var appearances: [@MainActor () -> Void] = []

  public init() {}

  public var body: Never { fatalError("a primitive view has no body") }

  public func onAppear(perform action: @escaping @MainActor () -> Void) -> ModifierContent {
    var copy = self
    copy.appearances.append(action)
    return copy
  }
}

public struct ModifiedView<Wrapped: View, Modifier: ViewModifier>: View {
  public let wrapped: Wrapped
  public let modifier: Modifier
  public var body: Never { fatalError("a primitive view has no body") }
}

extension View {
  public func modifier<Modifier: ViewModifier>(_ modifier: Modifier) -> ModifiedView<Self, Modifier>
  {
    ModifiedView(wrapped: self, modifier: modifier)
  }
}

/// Keeps its first value for as long as the view that declares it, like the real one; here the view's own
/// copies share it.
@propertyWrapper
public struct State<Value> {
  private final class Storage {
    var value: Value
    init(_ value: Value) { self.value = value }
  }

  private let storage: Storage

  public init(wrappedValue: Value) {
    storage = Storage(wrappedValue)
  }

  public var wrappedValue: Value {
    get { storage.value }
    nonmutating set { storage.value = newValue }
  }
}
