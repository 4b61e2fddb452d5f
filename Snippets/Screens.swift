// A screen that is dismissed early, with its tasks tied to it and without.
//
//     swift run Screens

import CooperativeCancellation

@MainActor
final class FeatureAViewModel {
  let taskBag = TaskBag()
}

@MainActor
final class Screen {
  private let name: String
  private let isTied: Bool
  private let start: ContinuousClock.Instant
  private let viewModel = FeatureAViewModel()

  init(_ name: String, isTied: Bool, start: ContinuousClock.Instant) {
    self.name = name
    self.isTied = isTied
    self.start = start
  }

  private func log(_ event: String) {
    let tenths = Int((ContinuousClock.now - start) / .milliseconds(100))
    print("\(tenths / 10).\(tenths % 10) s  \(name): \(event)")
  }

  // A timer stands in for the work of a screen.
  private func sleep() async -> Bool {
    do {
      try await Task.sleep(for: .seconds(2))
      return true
    } catch {
      return false
    }
  }

  func viewDidLoad() -> Task<Void, Never>? {
    log("on screen, its task waits for 2 s")
    if isTied {
      viewModel.taskBag.add { self.log("success is \(await self.sleep())") }
      return nil
    }
    return Task { self.log("success is \(await self.sleep())") }
  }

  // `HostingViewController` calls this when the screen has gone.
  func dismissed() {
    log("dismissed")
    if isTied { viewModel.taskBag.cancelAll() }
  }

  func waitForTasks() async throws {
    try await viewModel.taskBag.waitForAll()
  }
}

let start = ContinuousClock.now
let screenA = Screen("FeatureA, tasks tied to the screen", isTied: true, start: start)
let screenB = Screen("FeatureB, tasks left alone        ", isTied: false, start: start)
_ = screenA.viewDidLoad()
let leftAlone = screenB.viewDidLoad()
try await Task.sleep(for: .milliseconds(500))
screenA.dismissed()
screenB.dismissed()
try await screenA.waitForTasks()
await leftAlone?.value
