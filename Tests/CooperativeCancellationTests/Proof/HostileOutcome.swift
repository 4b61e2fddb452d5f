/// How the calls of a scenario ended with one form of bridge.
struct HostileOutcome {
  /// How each call ended, in the words of the table.
  var endings: [String]

  /// Whether a call was still waiting at the end, so that the SDK had to answer once more.
  let waitedOn: Bool

  let forwarded: Int
  var discarded: Int
  var reports: Int

  /// What another form must do where a form that throws, or ignores cancellation, did this.
  func expected(of form: BridgeForm) -> HostileOutcome {
    var outcome = self
    if form.kind == .fallback {
      outcome.endings = outcome.endings.map { $0 == "`CancellationError`" ? "the fallback" : $0 }
    }
    if !form.carriesValue {
      outcome.endings = outcome.endings.map {
        $0 == "the value" || $0 == "the fallback" ? "returns" : $0
      }
      outcome.discarded = 0
    }
    if form.isPending { outcome.reports = 0 }
    return outcome
  }

  /// The words of a cell.
  var text: String {
    var names: [String] = []
    for ending in endings where !names.contains(ending) { names.append(ending) }
    let counted = names.map { name in times(endings.count { $0 == name }, name) }
    var parts = [(waitedOn ? "waits for the answer: " : "") + counted.joined(separator: ", ")]
    if forwarded > 0 { parts.append(times(forwarded, "`onCancel`")) }
    if discarded > 0 { parts.append("\(grouped(discarded)) discarded") }
    if reports > 0 { parts.append(times(reports, "misuse reported")) }
    return parts.joined(separator: "; ")
  }

  private func times(_ count: Int, _ what: String) -> String {
    count == 1 ? what : "\(grouped(count)) × \(what)"
  }

  private func grouped(_ number: Int) -> String {
    number < 1_000
      ? "\(number)" : "\(number / 1_000)," + String(String(1_000 + number % 1_000).dropFirst())
  }
}
