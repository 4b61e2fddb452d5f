/// The calls whose SDK is being called, numbered in the order in which they begin.
struct Starts: Sendable {
  private static let keptCapacity = 64

  /// The starts from the number ``first`` on. All before ``head`` are over.
  private var areOpen: [Bool] = []
  private var head = 0
  private var first = 0
  private var count = 0

  var isEmpty: Bool { count == 0 }

  /// The number of the oldest start that is not over, or of the next one.
  var oldest: Int { first + head }

  /// The number of the next start.
  var next: Int { first + areOpen.count }

  mutating func begin() -> Int {
    count += 1
    areOpen.append(true)
    return next - 1
  }

  mutating func end(_ number: Int) {
    count -= 1
    areOpen[number - first] = false
    while head < areOpen.count, !areOpen[head] { head += 1 }
    if head >= Starts.keptCapacity, 2 * head >= areOpen.count {
      first += head
      areOpen = Array(areOpen[head...])
      head = 0
    }
  }
}
