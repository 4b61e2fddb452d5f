internal import CooperativeCancellation

/// Brings the limits of the environment into release builds of tests. The library finds it by its name.
package enum EnvironmentLimits: WaitLimits {
  package static func start() { LongWaits.startByEnvironment() }
}
