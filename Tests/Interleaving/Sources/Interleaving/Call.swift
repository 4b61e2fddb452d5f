import CooperativeCancellation
import PendingAnswers

/// One call of the library in its own task, with the checks that hold for every call.
///
/// Its outcome is how it ended, and whether it was forwarded and a value was discarded: "cancelled,
/// forwarded".
final class Call: @unchecked Sendable {
  let name: String
  let run: Run
  private(set) var result: Result<String, any Error>?
  /// How many values the SDK has made for this call.
  private var produced = 0
  private var discarded: [String] = []
  private(set) var forwards = 0
  /// Values that crossed as `sending`.
  private var packets: Set<String> = []

  /// - Parameter name: Also names the task. The outcome has it, unless it is "call".
  init(_ name: String = "call", in run: Run) {
    self.name = name
    self.run = run
  }

  // MARK: The task

  /// Makes a task that runs the call. Adds its outcome, when all has ended.
  @discardableResult
  func begin(
    @_inheritActorContext _ body:
      @escaping @isolated(any) @Sendable () async throws -> sending any Delivered
  ) -> Task<Void, Never> {
    run.atEnd { [self] in run.saw(check()) }
    return run.task(name) { [self] in
      do {
        let value = try await body()
        end(.success(value.name))
      } catch {
        end(.failure(error))
      }
    }
  }

  private func end(_ result: Result<String, any Error>) {
    run.userCode("\(name) ends: \(Call.word(for: result))")
    run.expect(self.result == nil, "\(name) ends twice")
    self.result = result
  }

  // MARK: What the SDK and the library do

  func value() -> Tracked {
    produced += 1
    return Tracked(produced == 1 ? "\(name)'s value" : "\(name)'s value \(produced)", in: run)
  }

  func packet() -> Packet {
    let tracked = value()
    packets.insert(tracked.name)
    return Packet(tracked)
  }

  func onCancel() {
    run.userCode("\(name)'s onCancel")
    forwards += 1
    run.expect(forwards == 1, "\(name)'s onCancel runs again")
    run.expect(result == nil, "\(name)'s onCancel runs after the call returned")
  }

  func onDiscard(_ value: some Delivered) {
    run.userCode("\(name)'s onDiscard of \(value.name)")
    run.expect(!discarded.contains(value.name), "\(value.name) is discarded again")
    discarded.append(value.name)
  }

  // MARK: The checks

  private func check() -> String {
    guard let result else { return name }
    var delivered = 0
    if case .success(let value) = result {
      delivered = 1
      run.expect(!discarded.contains(value), "\(value) is delivered and discarded")
      if packets.contains(value) {
        for (_, entity) in run.releases.filter({ $0.value == value }) {
          run.expect(entity == name, "\(value) is delivered, but released by \(entity)")
        }
      }
    }
    run.expect(
      delivered + discarded.count == produced,
      "\(name): \(delivered) delivered + \(discarded.count) discarded ≠ \(produced) produced"
    )
    var words = [Call.word(for: result)]
    if forwards > 0 { words.append("forwarded") }
    if !discarded.isEmpty { words.append("discarded") }
    return (name == "call" ? "" : "\(name) ") + words.joined(separator: ", ")
  }

  static func word(for result: Result<String, any Error>) -> String {
    switch result {
    case .success: "value"
    case .failure(is CancellationError): "cancelled"
    case .failure(is TimeoutError): "timed out"
    case .failure(is DroppedCompletionError): "dropped"
    case .failure(is AlreadyPendingError): "already pending"
    case .failure(is SDKError): "error"
    case .failure(let error): "\(type(of: error))"
    }
  }
}

/// An error of the SDK.
struct SDKError: Error {}

/// A value that a call can return.
protocol Delivered {
  var name: String { get }
}

extension Tracked: Delivered {}

extension Packet: Delivered {
  var name: String { tracked.name }
}
