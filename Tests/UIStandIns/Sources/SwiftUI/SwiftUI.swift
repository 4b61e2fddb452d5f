// A stand-in for SwiftUI: what the glue uses, declared as SwiftUI declares it.

public import UIKit

@MainActor @preconcurrency
public protocol View {
  associatedtype Body: View
  @MainActor @preconcurrency var body: Body { get }
}

extension Never: View {
  public var body: Never { fatalError("a primitive view has no body") }
}

@MainActor @preconcurrency
open class UIHostingController<Content: View>: UIViewController {
  public var rootView: Content

  public init(rootView: Content) {
    self.rootView = rootView
    super.init(nibName: nil, bundle: nil)
  }

  @MainActor @preconcurrency
  public required init?(coder: NSCoder) {
    return nil
  }
}

@MainActor @preconcurrency
public protocol ViewModifier {
  associatedtype Body: View
  typealias Content = _ViewModifier_Content<Self>
  @MainActor @preconcurrency func body(content: Content) -> Body
}

/// What a modifier wraps.
// SwiftUI's name.
// swift-format-ignore
public struct _ViewModifier_Content<Modifier: ViewModifier>: View {
  public init() {}
  public var body: Never { fatalError("a primitive view has no body") }
}

public struct ModifiedContent<Content, Modifier> {
  public var content: Content
  public var modifier: Modifier
}

extension ModifiedContent: View where Content: View, Modifier: ViewModifier {
  public var body: Never { fatalError("a primitive view has no body") }
}

extension View {
  public func modifier<Modifier>(_ modifier: Modifier) -> ModifiedContent<Self, Modifier> {
    ModifiedContent(content: self, modifier: modifier)
  }
}

/// Keeps its first value as long as the view that declares it: a view that is evaluated again
/// adopts it.
@propertyWrapper
public struct State<Value>: AdoptableState {
  private final class Storage {
    var value: Value
    init(_ value: Value) { self.value = value }
  }

  private let storage: Storage

  public init(wrappedValue: Value) { storage = Storage(wrappedValue) }

  public var wrappedValue: Value {
    get { storage.value }
    nonmutating set { storage.value = newValue }
  }

  public func adopt(_ earlier: any AdoptableState) {
    if let earlier = earlier as? State { storage.value = earlier.wrappedValue }
  }
}

public protocol AdoptableState {
  func adopt(_ earlier: any AdoptableState)
}
