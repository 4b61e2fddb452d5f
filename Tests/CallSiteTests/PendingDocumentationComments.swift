import CooperativeCancellation
import FakeCallbackSDK
import Testing

// The examples of the documentation comments of pending calls, line for line.

private typealias RequestID = Int
private typealias Reply = Answer

private struct Request: Sendable {
  let id: RequestID

  static func cancel(_ id: RequestID) -> Request { Request(id: -id) }
}

private struct Answer: Sendable {
  let id: RequestID
}

private final class Wire: Sendable {
  let written = Protected<[Int]>([])

  func write(_ request: Request) { written.withLock { $0.append(request.id) } }
  func send(_ request: Request) async throws { write(request) }

  func start(_ request: Request) -> RequestID {
    write(request)
    return request.id
  }

  func cancel(_ id: RequestID) { write(.cancel(id)) }
}

private struct Connection {
  let socket = Wire()

  let replies = PendingCalls<RequestID, Reply>()

  func send(_ request: Request) async throws -> Reply {
    try await replies.value(for: request.id, timeout: .seconds(30)) {
      socket.write(request)
    } onCancel: {
      socket.write(.cancel(request.id))
    }
  }

  // Where the answers come in, on any thread:
  func received(_ reply: Reply) { replies.resume(reply.id, returning: reply) }
  func closed(_ error: any Error) { replies.close(throwing: error) }
}

private struct Forms {
  let replies = PendingCalls<RequestID, Reply>()
  let socket = Wire()
  let sdk = Wire()
  let connection = Wire()

  func given(_ request: Request) async throws -> Reply {
    let reply = try await replies.value(for: request.id, timeout: .seconds(30)) {
      socket.write(request)
    } onCancel: {
      socket.write(.cancel(request.id))
    }
    return reply
  }

  func returned(_ request: Request) async throws -> Reply {
    let reply = try await replies.value {
      sdk.start(request)
    } onCancel: { id in
      sdk.cancel(id)
    }
    return reply
  }

  func sent(_ request: Request) async throws -> Reply {
    let reply = try await replies.value(for: request.id, timeout: .seconds(30)) {
      try await connection.send(request)
    } onCancel: {
      connection.cancel(request.id)
    }
    return reply
  }
}

private struct Account: Sendable {}

@MainActor
private final class Controller {
  func performRequests() {}
  func cancel() {}
}

@MainActor
private struct SignIn {
  let controller = Controller()
  let signIn = PendingCall<Account>()

  func account() async throws -> Account {
    try await signIn.value(timeout: .seconds(60)) {
      controller.performRequests()
    } onCancel: {
      controller.cancel()
    }
  }

  // The delegate, on any thread:
  func didComplete(with account: Account) { signIn.resume(returning: account) }
  func didFail(with error: any Error) { signIn.resume(throwing: error) }
}

@MainActor
private final class Central {
  enum State { case poweredOn }
  var state = State.poweredOn
}

@MainActor
private struct Power {
  let central = Central()
  let poweredOn = PendingEvent<Void>()

  func ready() async throws {
    try await poweredOn.value(timeout: .seconds(30)) {
      if central.state == .poweredOn { poweredOn.resume() }
    }
  }

  // The delegate, on any thread:
  func didUpdateState() { if central.state == .poweredOn { poweredOn.resume() } }
  func didFail(with error: any Error) { poweredOn.close(throwing: error) }
}

@Suite("Examples of pending calls", .watchdog)
struct PendingDocumentationComments {
  @Test
  func `each form can be cancelled, and tells the SDK`() async throws {
    for form in [Forms.given, Forms.returned, Forms.sent] {
      let forms = Forms()
      let task = Task { try await form(forms)(Request(id: 1)) }
      let wires = [forms.socket, forms.sdk, forms.connection]
      while wires.allSatisfy({ $0.written.withLock { $0.isEmpty } }) { await Task.yield() }
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      // A send that has not returned when the call ends is followed by its `onCancel`.
      while !forms.replies.isEmpty { await Task.yield() }
      #expect(wires.flatMap { $0.written.withLock { $0 } } == [1, -1])
    }
  }

  @Test
  func `an answer and an end come from outside`() async throws {
    let connection = Connection()
    let task = Task { try await connection.send(Request(id: 7)) }
    while connection.socket.written.withLock({ $0.isEmpty }) { await Task.yield() }
    connection.received(Reply(id: 7))
    #expect(try await task.value.id == 7)
    connection.closed(SDKError.failed)
    await #expect(throws: SDKError.failed) { try await connection.send(Request(id: 8)) }
    try await Power().ready()
  }
}
