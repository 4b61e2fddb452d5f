/// One kind of mistake, or several that are found on the same way. A check needs nothing but its
/// file and a line in the list below.
protocol Check: SendableMetatype {
  static var kinds: [Kind] { get }
  static func findings(in file: SourceFile) -> [Finding]
}

let checks: [any Check.Type] = [
  Waits.self,
  FinishedPublishers.self,
  CompletionHandlers.self,
  StateHandlers.self,
  ChecksInCallbacks.self,
  TimeoutRaces.self,
  LostCancellations.self,
  ResumptionsUnderLocks.self,
  SleepsInLoops.self,
  StreamTasks.self,
]
