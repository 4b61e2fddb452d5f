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

/// What a modifier wraps; it records what should happen when the view appears, or is evaluated again with
/// another value.
public struct ModifierContent: View {
  public struct Change {
    public let value: AnyHashable
    public let initial: Bool
    public let action: @MainActor () -> Void
  }

  public var changes: [Change] = []

  public init() {}

  public var body: Never { fatalError("a primitive view has no body") }

  public func onChange(
    of value: some Hashable,
    initial: Bool = false,
    _ action: @escaping @MainActor () -> Void
  ) -> ModifierContent {
    var copy = self
    copy.changes.append(Change(value: value, initial: initial, action: action))
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

/// Keeps its first value for as long as the view that declares it, like the real one: a view that is evaluated
/// again adopts the state of the one before.
@propertyWrapper
public struct State<Value>: AdoptableState {
  private final class Storage {
    var value: Value
    init(_ value: Value) { self.value = value }
  }

  private final class Slot {
    var storage: Storage
    init(_ storage: Storage) { self.storage = storage }
  }

  private let slot: Slot

  public init(wrappedValue: Value) {
    slot = Slot(Storage(wrappedValue))
  }

  public var wrappedValue: Value {
    get { slot.storage.value }
    nonmutating set { slot.storage.value = newValue }
  }

  public func adopt(_ earlier: any AdoptableState) {
    if let earlier = earlier as? State { slot.storage = earlier.slot.storage }
  }
}

public protocol AdoptableState {
  func adopt(_ earlier: any AdoptableState)
}
