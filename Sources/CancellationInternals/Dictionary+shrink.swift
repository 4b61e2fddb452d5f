extension Dictionary {
  /// Not `removeValue`, which would release the key. Also frees memory, which a dictionary never
  /// does by itself.
  @_alwaysEmitIntoClient
  @inline(__always)
  package mutating func removeAndShrink(at index: Index) -> (key: Key, value: Value) {
    let removed = remove(at: index)
    if capacity > 8 * Swift.max(count, 32) { shrink() }
    return removed
  }

  @_alwaysEmitIntoClient
  @inline(never)
  package mutating func shrink() {
    var rest = Dictionary(minimumCapacity: 2 * count)
    for (key, value) in self { rest[key] = value }
    self = rest
  }
}
