import CallbackSequences
import Dispatch
import Foundation

extension Process {
  /// Runs the process, and returns its exit status and everything that it has written to its
  /// standard output.
  ///
  /// A cancellation terminates the process, and is thrown only when the process has ended.
  func exitStatusAndOutput() async throws -> (status: Int32, output: Data) {
    let pipe = Pipe()
    standardOutput = pipe
    async let status = startedExitStatus(writingTo: pipe)
    var output = Data()
    for try await piece in pipe.fileHandleForReading.pieces() { output += piece }
    return (try await status, output)
  }

  private func startedExitStatus(writingTo pipe: Pipe) async throws -> Int32 {
    // A process that did not start has left it open, and the reading would not end.
    defer { try? pipe.fileHandleForWriting.close() }
    return try await exitStatus()
  }
}

extension FileHandle {
  /// Reads until all who can write have closed their end. On Linux, `readabilityHandler` may miss
  /// that.
  func pieces() -> AsyncThrowingCallbackSequence<Data> {
    AsyncThrowingCallbackSequence(buffering: .unbounded) { [self] yield, finish in
      let queue = DispatchQueue(label: "pieces")
      // Keeps the handle, and so the file, open as long as the channel uses it.
      let channel = DispatchIO(type: .stream, fileDescriptor: fileDescriptor, queue: queue) {
        @Sendable _ in withExtendedLifetime(self) {}
      }
      channel.read(offset: 0, length: .max, queue: queue) { @Sendable isDone, data, code in
        if let data, !data.isEmpty { yield(Data(data)) }
        if isDone { finish(POSIXErrorCode(rawValue: code).map { POSIXError($0) }) }
      }
      return channel
    } onTermination: { channel in
      channel.close(flags: .stop)
    }
  }
}
