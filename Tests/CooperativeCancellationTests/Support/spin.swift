import Foundation

/// Waits for another thread without giving the core back at once: a thread that does begins late, and on a busy machine
/// gets it back only after milliseconds.
func spin(until condition: () -> Bool) {
  var turns = 0
  while !condition() {
    turns += 1
    // The other thread may need this core.
    if turns > 30_000 { sched_yield() }
  }
}
