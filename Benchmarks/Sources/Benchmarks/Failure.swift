/// A message to the user before the program ends.
struct Failure: Error, CustomStringConvertible {
  let description: String
}
