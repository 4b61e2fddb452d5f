import CooperativeCancellation

#if LOCK_BUFFER || canImport(Darwin)
  /// Elsewhere, it is an object, which has this operator.
  func === (left: AnyReply?, right: AnyReply?) -> Bool {
    left?.buffer === right?.buffer
  }
#endif
