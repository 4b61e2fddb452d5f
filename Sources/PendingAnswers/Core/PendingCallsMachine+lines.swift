public import CancellationInternals
internal import CooperativeCancellation

// Calls that share their id: each id has a ``TurnMachine`` while it has calls.

extension PendingCallsMachine {
  /// Passes an event to the calls with an id.
  @_alwaysEmitIntoClient
  @discardableResult
  package mutating func inLine<Result>(
    _ id: ID,
    _ outcome: inout Outcome,
    _ event: (inout TurnMachine<Value>, inout Effects<Value>) -> Result
  ) -> Result {
    // In place, in a closure, because to read a line is to copy it, with its queues. The counts are
    // taken inside, because a second look would be a second search.
    let (result, growth, isEmpty) = { (line: inout TurnMachine<Value>) in
      let before = line.count
      let result = event(&line, &outcome.effects)
      return (result, line.count - before, line.isEmpty)
    }(&lines[id, default: TurnMachine(after: lastNumber)])
    countInLines += growth
    if isEmpty, let index = lines.index(forKey: id) {
      let (id, line) = lines.removeAndShrink(at: index)
      lastNumber = max(lastNumber, line.lastTicket)
      outcome.id = id
    }
    return result
  }

  /// A starting call has its id, and joins the calls that have it, because its SDK has been called.
  /// Returns its number there, or `nil` if it was answered together with all others.
  @_alwaysEmitIntoClient
  package mutating func join(
    _ number: Int,
    _ id: ID,
    _ parked: inout Parked?,
    _ outcome: inout Outcome
  ) -> Int? {
    guard let call = leaveStart(number), !call.state.hasAnswer else { return nil }
    // Its answer may have arrived before its id.
    parked = takeParked(number, id)
    var answer = parked?.answer
    return inLine(id, &outcome) { $0.join(call, &answer, &$1) }
  }

  /// Ends all calls that share their ids, without searches.
  @_alwaysEmitIntoClient
  mutating func endLines(_ error: any Error, closes: Bool, _ ended: inout Ended) {
    swap(&ended.lines, &lines)
    countInLines = 0
    for (id, var line) in ended.lines {
      line.endAll(error, &ended.effects)
      lastNumber = max(lastNumber, line.lastTicket)
      // It finds the error when it begins.
      if closes { line.granted = nil }
      if line.isEmpty { continue }
      lines[id] = line
      countInLines += line.count
    }
  }
}
