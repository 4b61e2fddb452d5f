import CooperativeCancellationTesting
import Testing

// Wrappers that their calls share: two at the same time, or one after the other.
extension UnusualWrapper {
  static let correctShared: [UnusualWrapper] = [
    UnusualWrapper("calls that run side by side, of a wrapper that is released after them") {
      let wrappers = LiveCount()
      try await UnusualWrapper("", shared: { .bridged(wrappers) }).check()
      #expect(wrappers.count == 0)
    },
    UnusualWrapper("calls of a PendingCall", shared: { .queued() }),
    UnusualWrapper("calls in a line that one may leave", shared: { .inLine(canLeave: true) }),
    UnusualWrapper(
      "calls that fail forever after an error, which is excepted",
      except: [.error, .answerInsideCall, .twoCalls, .droppedCompletion],
      shared: { .remembering(.failure) }
    ),
  ]

  static let brokenShared: [UnusualWrapper] =
    [
      disturbing("calls whose answers go to the last of them", says: "did not end") {
        .inOneSlot(keepsAll: true)
      },
      disturbing("calls that cancel the last request", says: "cancel the other one") {
        .inOneField()
      },
      disturbing("calls that are refused beside another", says: "while another call waited") {
        .refusing()
      },
      // On a busy machine, that shows only when the SDK answers the other one.
      disturbing("calls of which only the last has an answer", says: "of two calls") {
        .inOneSlot(keepsAll: false)
      },
      disturbing(
        "calls in a line that none may leave",
        says: "was cancelled while it waited for its turn"
      ) {
        .inLine(canLeave: false)
      },
      UnusualWrapper(
        "calls that cancel the first request",
        breaks: [.twoCalls],
        says: "the second of two calls was cancelled, the SDK was told to cancel"
      ) {
        try await checkWrapper(
          except: [.droppedCompletion, .nextCall],
          limit: .watchdog
        ) { (calls: Calls) in
          try await calls.wrapper { Uploader.inOneField(keepsFirst: true) }.upload(calls)
        } success: {
          $0(.success(1))
        }
      },
    ]
    + Remembering.Fault.allCases.map { fault in
      // Not only after the remedy for a second call that is refused.
      UnusualWrapper(
        "calls of which one changes the next: \(fault)",
        breaks: [fault == .told ? .forwarding : .nextCall],
        says: fault.rawValue,
        except: [.droppedCompletion, .twoCalls],
        shared: { .remembering(fault) }
      )
    }

  /// A call disturbs another one at the same time.
  private static func disturbing(
    _ description: String,
    says words: String,
    _ make: @escaping @Sendable () -> Uploader
  ) -> UnusualWrapper {
    UnusualWrapper(
      description,
      breaks: [.twoCalls],
      says: words,
      except: [.droppedCompletion, .nextCall],
      shared: make
    )
  }
}
