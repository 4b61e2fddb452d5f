// The code of the documentation comments of the sequences, so that it compiles. Nothing here is called.

import CooperativeCancellation

@MainActor
private final class DocumentedSequences {
  let manager = DocumentedLocationManager()
  let sdk = DocumentedFeeds()
  let socket = DocumentedSocket()
  let query = DocumentedQuery()
  let file = "beach"

  typealias Location = DocumentedLocationManager.Location
  typealias Message = DocumentedSocket.Message

  func locations() -> AsyncCallbackSequence<Location> {
    AsyncCallbackSequence(buffering: .newest(1)) { [manager] yield in
      manager.addListener(yield)
    } onTermination: { [manager] token in
      manager.removeListener(token)
    }
  }

  func steps() -> AsyncCallbackSequence<Location> { locations() }
  func show(_ step: Location) {}

  func loop() async throws {
    for await step in steps() { show(step) }
    try Task.checkCancellation()
  }

  func search() -> AsyncCallbackSequence<String> {
    AsyncCallbackSequence(buffering: .unbounded) { [sdk] yield, finish in
      sdk.search("beach", found: yield, done: finish)
    } onTermination: { search in
      search.stop()
    }
  }

  func scan() -> AsyncCallbackSequence<String> {
    AsyncCallbackSequence(buffering: .oldest(100)) { [sdk] yield in
      sdk.scan { file in yield(file) != .terminated }
    } onTermination: { scan in
      scan.stop()
    }
  }

  func messages() -> AsyncThrowingCallbackSequence<Message> {
    AsyncThrowingCallbackSequence(buffering: .unbounded) { [socket] yield in
      socket.onMessage = yield
    } onTermination: { [socket] in
      socket.onMessage = nil
    }
  }

  func snapshots() -> AsyncThrowingCallbackSequence<String> {
    AsyncThrowingCallbackSequence(buffering: .newest(1)) { [query] yield in
      query.addSnapshotListener(yield)
    } onTermination: { listener in
      listener.remove()
    }
  }

  func upload() -> AsyncThrowingCallbackSequence<Double> {
    AsyncThrowingCallbackSequence(buffering: .newest(1)) { [sdk, file] yield, finish in
      sdk.upload(file, progress: yield, completion: finish)
    } onTermination: { upload in
      upload.cancel()
    }
  }

  func feed() -> AsyncThrowingCallbackSequence<String> {
    AsyncThrowingCallbackSequence(buffering: .unbounded) { [sdk] next, failed, finished in
      sdk.subscribe(next: next, failed: failed, finished: finished)
    } onTermination: { subscription in
      subscription.dispose()
    }
  }

  func visit(_ yield: @escaping @Sendable (String) -> YieldResult) {
    sdk.forEachRow { row in yield(row) != .terminated }
  }
}

actor DocumentedThermometer {
  typealias Sensor = DocumentedSensor

  private let sensor = Sensor()

  func readings() -> SendableCallbackSequence<Double> {
    AsyncCallbackSequence(buffering: .newest(1)) { [sensor] yield in
      sensor.addListener(yield)
    } onTermination: { [sensor] number in
      sensor.removeListener(number)
    }.sendable()
  }
}

func documentedEvents(of bus: DocumentedBus) -> SendableCallbackSequence<String> {
  SendableCallbackSequence {
    AsyncCallbackSequence(buffering: .newest(1)) { [bus] yield in
      bus.subscribe(yield)
    } onTermination: { [bus] subscriber in
      bus.unsubscribe(subscriber)
    }
  }
}

// MARK: - SDKs

final class DocumentedToken {
  func stop() {}
  func remove() {}
  func cancel() {}
  func dispose() {}
}

final class DocumentedLocationManager {
  struct Location: Sendable {}

  func addListener(_ listener: @escaping @Sendable (Location) -> Void) -> DocumentedToken {
    DocumentedToken()
  }
  func removeListener(_ token: DocumentedToken) {}
}

final class DocumentedFeeds {
  func search(
    _ text: String,
    found: @escaping @Sendable (String) -> Void,
    done: @escaping @Sendable () -> Void
  ) -> DocumentedToken {
    DocumentedToken()
  }

  func scan(_ visit: @escaping @Sendable (String) -> Bool) -> DocumentedToken {
    DocumentedToken()
  }

  func forEachRow(_ visit: @escaping @Sendable (String) -> Bool) {}

  func upload(
    _ file: String,
    progress: @escaping @Sendable (Double) -> Void,
    completion: @escaping @Sendable ((any Error)?) -> Void
  ) -> DocumentedToken {
    DocumentedToken()
  }

  func subscribe(
    next: @escaping @Sendable (String) -> Void,
    failed: @escaping @Sendable (any Error) -> Void,
    finished: @escaping @Sendable () -> Void
  ) -> DocumentedToken {
    DocumentedToken()
  }
}

final class DocumentedSocket {
  struct Message: Sendable {}

  var onMessage: (@Sendable (Result<Message, any Error>) -> Void)?
}

final class DocumentedQuery {
  func addSnapshotListener(
    _ listener: @escaping @Sendable (String?, (any Error)?) -> Void
  ) -> DocumentedToken {
    DocumentedToken()
  }
}

final class DocumentedSensor {
  func addListener(_ listener: @escaping @Sendable (Double) -> Void) -> Int { 1 }
  func removeListener(_ number: Int) {}
}

final class DocumentedBus: Sendable {
  func subscribe(_ subscriber: @escaping @Sendable (String) -> Void) -> Int { 1 }
  func unsubscribe(_ subscriber: Int) {}
}
