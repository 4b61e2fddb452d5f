/// Reads one subscription for a standard stream, which any number of tasks may read at the same time.
@_fixed_layout
@usableFromInline
final class StreamReader<Element: Sendable>: Sendable {
  @usableFromInline let inbox: Shared<Inbox<Element>>
  /// The source is set until a cold subscription begins. The errand ends the subscription.
  @usableFromInline let state: Locked<(source: (@Sendable () -> Source<Element>)?, errand: Errand?)>

  @inlinable
  init(
    _ inbox: Shared<Inbox<Element>>,
    beginning source: (@Sendable () -> Source<Element>)? = nil,
    ending errand: Errand? = nil
  ) {
    self.inbox = inbox
    state = Locked(initially: (source, errand))
  }

  deinit { end() }

  /// Ends the subscription soon, not now: a stream may release this object under the runtime's lock.
  @usableFromInline
  func end() {
    state.locked { $0.errand.take() }?.startLater()
  }

  /// Returns the next element, or `nil` at the end. The caller handles its task's cancellation.
  @inlinable
  func next() async throws -> Element? {
    while true {
      switch inbox.contents.next() {
      case .element(let element):
        return element
      case .nothing:
        if let source = state.locked({ $0.source.take() }) {
          let errand = try await source().begin(inbox)?.errand(nil)
          state.locked { $0.errand = errand }
        } else {
          let place = inbox.recordReader()
          await withCheckedContinuation { inbox.contents.sleep($0) }
          if place >= 0 { Recorder.remove(place) }
        }
      case .ended(.failed(let error)):
        end()
        throw error
      case .ended(.finished), .cancelled, .over:
        end()
        return nil
      }
    }
  }

  /// The runtime's cancellation handler calls this, under the runtime's lock.
  @usableFromInline
  func cancel() {
    inbox.contents.cancel()
    end()
  }
}
