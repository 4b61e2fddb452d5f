internal import CooperativeCancellation

/// Starts the limits of the environment in a release build of tests, once. The library cannot,
/// because the code for them is emitted into the programs that use it.
let startedEnvironmentLimits: Void = WaitingCalls.startRecordingByEnvironment()
