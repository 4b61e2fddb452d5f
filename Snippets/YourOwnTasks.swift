// The code of the page "Your own tasks".

import CooperativeCancellation
import Dispatch
import Foundation
import Observation
import TaskBags

struct Post: Sendable {}

struct FeedService: Sendable {
  func posts() async throws -> [Post] { [] }
}

@MainActor @Observable
final class FeedModel {
  let taskBag = TaskBag()
  private let service = FeedService()
  private(set) var posts: [Post] = []

  func refresh() {
    taskBag.add(id: "refresh") { [weak self, service] in
      let posts = try await service.posts()
      try checkpoint()
      self?.posts = posts
    }
  }
}

func listen() async {}

var tasks: Set<AnyTask> = []
Task { await listen() }.store(in: &tasks)
// When `tasks` is destroyed, the task is cancelled.

func shutDown(_ taskBag: TaskBag) async {
  await taskBag.drain(cancellingAfter: .seconds(10))
}

func shutDownOnSignal(_ taskBag: TaskBag) -> any DispatchSourceSignal {
  signal(SIGTERM, SIG_IGN)
  let source = DispatchSource.makeSignalSource(signal: SIGTERM, queue: .main)
  source.setEventHandler { @Sendable in
    Task {
      await taskBag.drain(cancellingAfter: .seconds(10))
      exit(0)
    }
  }
  source.activate()
  return source
}

@MainActor
final class ImportModel {
  private let taskBag = TaskBag()
  private let importer = Importer()

  func start() {
    taskBag.add(id: "import", ifTaken: .keep) { [importer] in try await importer.importAll() }
  }

  func stop() { taskBag.cancel(id: "import") }
}

@MainActor
final class SessionModel {
  private let taskBag = TaskBag()
  private var account: String? = "Ann"

  func logOut() async throws {
    taskBag.cancelAll()
    try await taskBag.waitForAll()
    account = nil
  }
}

struct Request: Sendable {}

final class Connection: Sendable {
  private let requests = TaskBag()

  func didReceive(_ request: Request) {
    requests.add { try await answer(request) }
  }

  func didClose() {
    requests.close()
    requests.cancelAll()
  }
}

func answer(_ request: Request) async throws {}

// MARK: - Checkpoints

actor Importer {
  func importAll() async throws {
    try await withCancellationCleanup {
      try checkpoint()
      await step("downloaded")
      try checkpoint()
      await step("parsed")
      try checkpoint()
      await step("stored")
    } cleanup: {
      await self.deletePartialImport()
    }
  }

  private func step(_ name: String) async {}
  private func deletePartialImport() async {}
}

struct Song: Sendable {}

struct Player: Sendable {
  func addListener(_ listener: @escaping @Sendable (Song) -> Void) -> Int { 0 }
  func removeListener(_ listener: Int) {}
}

struct Announcer: Sendable {
  let player: Player

  func run() async {
    let listener = player.addListener { song in print("song:", song) }
    await waitForCancellation()
    player.removeListener(listener)
  }
}

func compressAll(_ blocks: [[UInt8]]) async throws {
  for block in blocks {
    compress(block)
    try await yieldingCheckpoint()
  }
}

func sum(of numbers: [Int]) throws -> Int {
  var sum = 0
  var pace = PacedCheckpoint(every: 1_000)
  for number in numbers {
    sum += number
    try pace.checkpoint()
  }
  return sum
}

func checksum(of blocks: [[UInt8]]) async throws -> Int {
  var pace = PacedCheckpoint(every: 1_000)
  var sum = 0
  for block in blocks {
    for byte in block { sum = (sum &* 31) &+ Int(byte) }
    try await pace.yieldingCheckpoint()
  }
  return sum
}

func pay(with card: String) async throws {
  try checkpoint()
  let receipt = try await charge(card)
  await save(receipt)
}

func renderAll(_ pages: [String]) throws {
  for page in pages {
    try checkpoint()
    render(page)
  }
}

func compress(_ block: [UInt8]) {}
func render(_ page: String) {}
func charge(_ card: String) async throws -> String { card }
func save(_ receipt: String) async {}
