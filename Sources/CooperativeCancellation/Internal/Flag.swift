#if !LOCK_BUFFER && !canImport(Darwin)

  public import Synchronization

  /// Something that happens once, and that others may look at without a lock.
  ///
  /// Why not the atomic itself: a generic class that stores one destroys it with code that is not
  /// specialised, and looks up its type each time. The `deinit` of a type that is not generic, empty as it
  /// is, has the type built in.
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

    /// Raises it. Returns whether it was not raised before.
    @inlinable
    package func raiseFirst() -> Bool {
      !value.exchange(true, ordering: .acquiringAndReleasing)
    }
  }

#else

  /// Something that happens once. Apple's systems before macOS 15 have no atomics: here a lock is in their place.
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

    /// Raises it. Returns whether it was not raised before.
    @inlinable
    package func raiseFirst() -> Bool {
      value.locked { value in
        defer { value = true }
        return !value
      }
    }
  }

#endif
