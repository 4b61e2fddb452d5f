import CooperativeCancellation
import FakeCallbackSDK
import Foundation
import Testing

/// The default handler runs on the SDK's threads, and does no harm there, whatever standard error
/// is.
@Suite("The default handler", .watchdog) struct StandardErrorTests {
  /// Makes standard error a pipe, and returns the end that reads.
  private static func pipeInsteadOfStandardError() -> CInt {
    var ends: [CInt] = [0, 0]
    pipe(&ends)
    dup2(ends[1], 2)
    close(ends[1])
    return ends[0]
  }

  private static func setBlocks(_ blocks: Bool, _ descriptor: CInt) {
    let flags = fcntl(descriptor, F_GETFL)
    _ = fcntl(descriptor, F_SETFL, blocks ? flags & ~O_NONBLOCK : flags | O_NONBLOCK)
  }

  /// Writes until the pipe is full.
  private static func fill(_ descriptor: CInt) {
    setBlocks(false, descriptor)
    let bytes = [UInt8](repeating: 0, count: 65_536)
    for count in [bytes.count, 1] {
      while write(descriptor, bytes, count) > 0 {}
    }
    setBlocks(true, descriptor)
  }

  /// Reads what is there.
  private static func drain(_ descriptor: CInt) -> String {
    setBlocks(false, descriptor)
    var all: [UInt8] = []
    var bytes = [UInt8](repeating: 0, count: 65_536)
    while case let count = read(descriptor, &bytes, bytes.count), count > 0 {
      all += bytes.prefix(count)
    }
    return String(decoding: all.drop { $0 == 0 }, as: UTF8.self)
  }

  /// An SDK calls back twice.
  private static func misuse() async {
    await withAsyncValue(line: 1) {
      $0()
      $0()
    }
  }

  @Test func `a report does not end the process if standard error has no reader`() async {
    await #expect(processExitsWith: .exitCode(7)) {
      close(Self.pipeInsteadOfStandardError())
      await Self.misuse()
      exit(7)
    }
    // The signal can still be received later.
    await #expect(processExitsWith: .signal(SIGPIPE)) {
      close(Self.pipeInsteadOfStandardError())
      await Self.misuse()
      _ = write(2, [0] as [UInt8], 1)
    }
  }

  @Test func `a report leaves a signal pending that was pending before`() async {
    await #expect(processExitsWith: .success) {
      var (broken, pending) = (sigset_t(), sigset_t())
      sigemptyset(&broken)
      sigaddset(&broken, SIGPIPE)
      pthread_sigmask(SIG_BLOCK, &broken, nil)
      pthread_kill(pthread_self(), SIGPIPE)
      close(Self.pipeInsteadOfStandardError())
      await Self.misuse()
      sigpending(&pending)
      #expect(sigismember(&pending, SIGPIPE) == 1)
    }
  }

  @Test func `a report does not wait for a reader, and the next one that finds room is printed`()
    async
  {
    await #expect(processExitsWith: .success) {
      let reading = Self.pipeInsteadOfStandardError()
      Self.fill(2)
      await Self.misuse()
      #expect(Self.drain(reading) == "")
      await Self.misuse()
      let text = Self.drain(reading)
      #expect(text.hasPrefix("CooperativeCancellation: \(#fileID):1: the completion"))
      #expect(text.split(separator: "\n").count == 1)
      await Self.misuse()
      #expect(Self.drain(reading) == "", "printed once")
    }
  }

  @Test
  func `each kind is printed once per call site, no lock held, and again if it could not be`() {
    let again = RuntimeIssue.Kind.completionCalledAgain
    let reports = [(again, 1), (again, 2), (.completionDropped, 1)].map {
      RuntimeIssue(kind: $0, callSite: CallSite(line: $1))
    }
    let all = Protected<[String]>([])
    let whilePrinting = Protected<(@Sendable () -> Void)?>(nil)
    let printed = PrintedReports { line in
      let isFirst = whilePrinting.withLock { $0.take() }
      // The lock is not recursive.
      isFirst?()
      all.withLock { $0.append(line) }
      return isFirst == nil
    }
    let printAll = { @Sendable in for report in reports { printed.printOnce(report) } }
    whilePrinting.withLock { $0 = printAll }
    printed.printOnce(reports[0])
    printAll()
    #expect(all.withLock { $0 } == [1, 2, 0, 0].map { "\(reports[$0])" })
  }

  /// What each write takes; then each takes all, or cannot write.
  @Test(arguments: [[100, 0, 512, 1], [100, nil]])
  func `the rest is written after a partial write, in pieces that a pipe takes at once`(
    answers: [Int?]
  ) {
    let line: [UInt8] = (0..<2_000).map { UInt8($0 % 251) }
    var written: [UInt8] = []
    var left = answers[...]
    let isWritten = writeAll(line) { bytes in
      #expect(bytes.count <= 512)
      guard let count = left.popFirst() ?? bytes.count else { return nil }
      written += bytes.prefix(count)
      return count
    }
    #expect(isWritten == !answers.contains(nil))
    #expect(written[...] == line.prefix(isWritten ? line.count : 100))
    #expect(writeSome([1], to: -1) == nil)
  }
}
