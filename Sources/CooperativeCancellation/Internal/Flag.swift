#if !LOCK_BUFFER && !canImport(Darwin)

  public import Synchronization

  /// A Boolean that becomes `true` once, and that any thread may read without a lock.
  ///
  /// A generic class that stores a bare atomic destroys it with code that is not specialized, which looks up its
  /// type each time. The empty `deinit` of this type, which is not generic, avoids the lookup.
  @frozen
  @usableFromInline
  package struct Flag: ~Copyable, Sendable {
    @usableFromInline let value = Atomic<Bool>(false)

    @inlinable
    package init() {}

    @inlinable
    deinit {}

    @inlinable
    package var isRaised: Bool { value.load(ordering: .acquiring) }

    @inlinable
    package func raise() {
      value.store(true, ordering: .releasing)
    }
  }

#else

  /// A Boolean that becomes `true` once. It uses a lock, because Apple systems before macOS 15 have no atomics.
  @frozen
  @usableFromInline
  package struct Flag: ~Copyable, Sendable {
    @usableFromInline let value = Locked(initially: false)

    @inlinable
    package init() {}

    @inlinable
    package var isRaised: Bool { value.locked { $0 } }

    @inlinable
    package func raise() {
      value.locked { $0 = true }
    }
  }

#endif
