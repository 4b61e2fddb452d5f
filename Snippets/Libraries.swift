// The code of the page "Foundation and other libraries".

// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CCallbacks
import CallbackSequences
import CooperativeCancellation
import Dispatch
import Foundation
import PendingAnswers

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

// MARK: - A pipe

func chunks(of file: FileHandle) -> AsyncThrowingCallbackSequence<[UInt8]> {
  AsyncThrowingCallbackSequence(buffering: .unbounded) { yield, finish in
    let queue = DispatchQueue(label: "chunks")
    // The channel keeps the file open until it is done with it.
    let channel = DispatchIO(type: .stream, fileDescriptor: file.fileDescriptor, queue: queue) {
      @Sendable _ in withExtendedLifetime(file) {}
    }
    channel.setLimit(lowWater: 1)
    channel.read(offset: 0, length: .max, queue: queue) { @Sendable isDone, data, error in
      if let data, !data.isEmpty { yield([UInt8](data)) }
      if isDone { finish(error == 0 ? nil : ReadError(code: error)) }
    }
    return channel
  } onTermination: { channel in
    channel.close(flags: .stop)
  }
}

struct ReadError: Error {
  let code: Int32
}

/// Runs a shell command, and returns the number of bytes that it writes.
func countOutput(of command: String) async throws -> Int {
  let process = Process()
  let pipe = Pipe()
  process.executableURL = URL(filePath: "/bin/sh")
  process.arguments = ["-c", command]
  process.standardOutput = pipe
  let end = PendingEvent<Int32>()
  process.terminationHandler = { end.close(returning: $0.terminationStatus) }
  try process.run()
  var count = 0
  for try await chunk in chunks(of: pipe.fileHandleForReading) { count += chunk.count }
  // On Linux, a process that is released before Foundation has noticed its end crashes.
  _ = try await end.value()
  withExtendedLifetime(process) {}
  return count
}

for _ in 1...5 {
  let count = try await countOutput(of: "head -c 300000 /dev/zero")
  precondition(count == 300_000)
}

// MARK: - Polling

func waitUntilReady(_ server: Server) async throws {
  while try await !server.isReady() {
    try await Task.sleep(for: .seconds(1))
  }
}

func waitUntilReadyForAMinute(_ server: Server) async throws {
  try await withAbandonableTask(timeout: .seconds(60)) { try await waitUntilReady(server) }
}

struct Server: Sendable {
  func isReady() async throws -> Bool { true }
}

try await waitUntilReadyForAMinute(Server())

// MARK: - curl

/// Calls `curl_easy_perform`, which blocks its thread, on a queue.
func transfer(_ handle: Handle) async throws -> Int32 {
  try await withCancellationFlag { flag in
    try await withAsyncThrowingValue(whenCancelled: .waitForCallback) { completion in
      queue.async {
        completion(handle.perform(shouldStop: { flag.isCancelled }))
      }
    }
  }
}

nonisolated struct Handle: Sendable {
  /// Stands for `curl_easy_perform`, with a function for `CURLOPT_XFERINFOFUNCTION` that returns 1
  /// to stop.
  func perform(shouldStop: @Sendable () -> Bool) -> Int32 { shouldStop() ? 42 : 0 }
}

let queue = DispatchQueue(label: "curl")
_ = try await transfer(Handle())

/// Drives curl's multi interface on one queue.
nonisolated final class Transfers: Sendable {
  private let queue = DispatchQueue(label: "transfers")
  private let multi = Multi()
  private let statuses = PendingCalls<Int, Int32>()

  init() {
    // `curl_multi_info_read` has reported CURLMSG_DONE, on the queue.
    multi.onDone = { [multi, statuses] handle, status in
      multi.remove(handle)
      statuses.resume(handle, returning: status)
    }
  }

  func transfer(_ handle: Int) async throws -> Int32 {
    try await statuses.value(for: handle, whenCancelled: .waitForCallback) {
      queue.async { [multi] in multi.add(handle) }
    } onCancel: {
      queue.async { [multi, statuses] in
        multi.remove(handle)
        statuses.resume(handle, throwing: CancellationError())
      }
    }
  }
}

_ = try await Transfers().transfer(1)
let stopped = Task { try await Transfers().transfer(2) }
stopped.cancel()
_ = await stopped.result

/// Stands for a multi handle. Only one queue uses it.
nonisolated final class Multi: @unchecked Sendable {
  var onDone: (@Sendable (Int, Int32) -> Void)?
  func add(_ handle: Int) { onDone?(handle, 0) }
  func remove(_ handle: Int) {}
}

// MARK: - SQLite

@MainActor
final class Notes {
  struct Change: Sendable { let table: String, row: Int64 }

  let changes: SendableCallbackSequence<Change, Never>

  init(_ database: OpaquePointer) {
    changes = AsyncCallbackSequence(buffering: .unbounded) { yield in
      let context = CallbackContext(isRepeating: true) {
        (operation: Int32, database: CString?, table: CString?, row: Int64) in
        yield(Change(table: table.map { String(cString: $0) } ?? "", row: row))
      }
      _ = sqlite3_update_hook(
        database,
        { @Sendable in CallbackContext.call($0, $1, $2, $3, $4) },
        context.pointer
      )
      return context
    } onTermination: { context in
      _ = sqlite3_update_hook(database, nil, nil)
      context.release()
    }.sendable().shared()
  }
}

typealias CString = UnsafePointer<CChar>

/// Stands for SQLite's function.
func sqlite3_update_hook(
  _ database: OpaquePointer,
  _ callback: (
    @convention(c) (UnsafeMutableRawPointer?, Int32, CString?, CString?, Int64) -> Void
  )?,
  _ context: UnsafeMutableRawPointer?
) -> UnsafeMutableRawPointer? {
  nonisolated(unsafe) let context = context
  callback?(context, 18, nil, "notes", 7)
  return nil
}

let buffer = UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1)
for await change in Notes(OpaquePointer(buffer)).changes {
  precondition(change.table == "notes" && change.row == 7)
  break
}

// MARK: - MQTT

@MainActor
final class Broker: CocoaMQTTDelegate {
  private let mqtt: CocoaMQTT
  private let acknowledgements = PendingCalls<UInt16, Void>()

  init(_ mqtt: CocoaMQTT) {
    self.mqtt = mqtt
    mqtt.delegate = self
  }

  func publish(_ text: String, to topic: String) async throws {
    try await acknowledgements.value(timeout: .seconds(30)) {
      let id = mqtt.publish(topic, withString: text, qos: .qos1, retained: false)
      guard id > 0 else { throw QueueIsFull() }
      return UInt16(id)
    }
  }

  nonisolated func mqtt(_ mqtt: CocoaMQTT, didPublishAck id: UInt16) {
    acknowledgements.resume(id)
  }

  nonisolated func mqttDidDisconnect(_ mqtt: CocoaMQTT, withError error: (any Error)?) {
    acknowledgements.resumeAll(throwing: error ?? Disconnected())
  }
}

struct QueueIsFull: Error {}
struct Disconnected: Error {}

protocol CocoaMQTTDelegate: AnyObject {
  func mqtt(_ mqtt: CocoaMQTT, didPublishAck id: UInt16)
  func mqttDidDisconnect(_ mqtt: CocoaMQTT, withError error: (any Error)?)
}

/// Stands for the client, and acknowledges at once.
final class CocoaMQTT {
  enum QoS { case qos1 }
  weak var delegate: (any CocoaMQTTDelegate)?
  func publish(_ topic: String, withString text: String, qos: QoS, retained: Bool) -> Int {
    delegate?.mqtt(self, didPublishAck: 1)
    return 1
  }
}

try await Broker(CocoaMQTT()).publish("on", to: "lamp")

// MARK: - gRPC

func reply(_ call: UnaryCall) async throws -> String {
  try await withAsyncThrowingValue { completion in
    call.response.whenComplete(completion)
    return call
  } onCancel: { call in
    call.cancel(promise: nil)
  }
}

/// Stands for a call of gRPC version 1.
struct UnaryCall: Sendable {
  let response = Future()
  func cancel(promise: Void?) {}
}

/// Stands for an `EventLoopFuture`.
struct Future: Sendable {
  func whenComplete(_ callback: @escaping @Sendable (Result<String, any Error>) -> Void) {
    callback(.success("hello"))
  }
}

_ = try await reply(UnaryCall())

// MARK: - Firestore

@MainActor
final class Cities {
  private let query = Query()

  func names() -> AsyncThrowingCallbackSequence<[String]> {
    AsyncThrowingCallbackSequence(buffering: .newest(1)) { [query] yield in
      query.addSnapshotListener { @Sendable snapshot, error in
        yield(snapshot?.documents.map(\.documentID), error)
      }
    } onTermination: { listener in
      listener.remove()
    }
  }
}

class QueryDocumentSnapshot: NSObject { var documentID: String { "Ulm" } }
class QuerySnapshot: NSObject { let documents = [QueryDocumentSnapshot()] }
class Query: NSObject {
  func addSnapshotListener(
    _ listener: @escaping (QuerySnapshot?, (any Error)?) -> Void
  ) -> any ListenerRegistration {
    listener(QuerySnapshot(), nil)
    return Registration()
  }
}
protocol ListenerRegistration: NSObjectProtocol { func remove() }
final class Registration: NSObject, ListenerRegistration { func remove() {} }

for try await names in Cities().names() {
  precondition(names == ["Ulm"])
  break
}

// MARK: - Uploads

func upload(
  _ data: Data,
  with request: URLRequest,
  onProgress: @escaping @Sendable (Int64) -> Void
) async throws -> (Data, URLResponse) {
  let delegate = UploadDelegate(onProgress)
  return try await URLSession.shared.upload(for: request, from: data, delegate: delegate)
}

final class UploadDelegate: NSObject, URLSessionTaskDelegate {
  private let onProgress: @Sendable (Int64) -> Void

  init(_ onProgress: @escaping @Sendable (Int64) -> Void) { self.onProgress = onProgress }

  func urlSession(
    _ session: URLSession,
    task: URLSessionTask,
    didSendBodyData bytesSent: Int64,
    totalBytesSent: Int64,
    totalBytesExpectedToSend: Int64
  ) {
    onProgress(totalBytesSent)
  }
}
