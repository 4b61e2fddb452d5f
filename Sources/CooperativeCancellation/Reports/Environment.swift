/// Returns the value of an environment variable if it is a positive number, and prints a line if it
/// is anything else.
func environmentNumber(_ name: String) -> Double? {
  guard let text = environmentVariable(name), !text.isEmpty else { return nil }
  if let number = Double(text), number > 0, number.isFinite { return number }
  printToStandardError(
    "CooperativeCancellation: \(name) is \"\(text)\", not a positive number of seconds, and is ignored"
  )
  return nil
}
