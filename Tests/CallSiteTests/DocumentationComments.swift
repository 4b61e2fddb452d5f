// The code of a documentation comment that no page shows, so that it compiles. Nothing here is
// called.

import CooperativeCancellation

private struct DocumentedReports {
  struct Logger: Sendable {
    func error(_ message: String) {}
  }

  func log(to logger: Logger) {
    RuntimeIssue.handler = { issue in logger.error("\(issue)") }
  }
}
