import Foundation

/// Waits for another thread without giving the core back at once: on a busy machine, that would
/// cost milliseconds.
func spin(until condition: () -> Bool) {
  var turns = 0
  while !condition() {
    turns += 1
    // The other thread may need this core.
    if turns > 30_000 { sched_yield() }
  }
}
