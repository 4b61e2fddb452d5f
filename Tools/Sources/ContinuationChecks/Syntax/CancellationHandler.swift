import SwiftSyntax

/// A call of `withTaskCancellationHandler` or a relative of it.
struct CancellationHandler {
  let call: FunctionCallExprSyntax
  let operation: ClosureExprSyntax
  let onCancel: ClosureExprSyntax

  init?(_ call: FunctionCallExprSyntax) {
    guard ["withTaskCancellation", "withGracefulShutdown"].contains(where: call.callee.hasPrefix)
    else { return nil }
    let closures = call.closures
    // In the deprecated order, the handler is the first closure, and the second has a name.
    let isOldOrder = closures.last?.label == "operation" && closures.count == 2
    let isHandler = { (label: String?) in
      isOldOrder ? label != "operation" : label?.hasPrefix("onCancel") == true
    }
    guard let onCancel = closures.first(where: { isHandler($0.label) })?.closure,
      let operation = closures.first(where: { !isHandler($0.label) })?.closure
    else { return nil }
    (self.call, self.operation, self.onCancel) = (call, operation, onCancel)
  }
}
