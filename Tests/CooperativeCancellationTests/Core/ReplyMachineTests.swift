import CooperativeCancellation
import Testing

@Suite("ReplyMachine", .watchdog)
struct ReplyMachineTests {
  enum Step {
    /// The SDK calls the completion.
    case answer
    /// The task takes the answer.
    case take
    /// The task goes to wait.
    case wait
    /// `operation` threw.
    case operationThrew
  }

  /// What the machine says to each step.
  private func run(_ steps: Step...) -> [String] {
    var machine = ReplyMachine<Int>.expected
    return steps.map { step in
      switch step {
      case .answer:
        switch machine.answer(1) {
        case .keep: "keep"
        case .wake: "wake"
        case .discard: "discard"
        case .reportAndDiscard: "misuse"
        }
      case .take: machine.take() == nil ? "nothing" : "the answer"
      case .wait:
        machine.takeOrAwait(by: Wait(response: .abandonCallback)) == nil
          ? "nothing" : "the answer"
      case .operationThrew: machine.operationThrew() == nil ? "nothing" : "the answer"
      }
    }
  }

  @Test
  func `an answer inside operation is kept for the task, and the next is misuse`() {
    #expect(
      run(.answer, .answer, .take, .take, .answer)
        == ["keep", "misuse", "the answer", "nothing", "misuse"]
    )
  }

  @Test
  func `an answer to a waiting task wakes it, and is kept for it`() {
    #expect(
      run(.take, .wait, .answer, .answer, .take, .take, .answer)
        == ["nothing", "nothing", "wake", "misuse", "the answer", "nothing", "misuse"]
    )
  }

  @Test
  func `an answer between the task's check and its wait is not lost`() {
    #expect(
      run(.take, .answer, .wait, .answer) == ["nothing", "keep", "the answer", "misuse"]
    )
  }

  @Test
  func `after operation threw, an earlier answer is handed out and a later one discarded`() {
    #expect(run(.answer, .operationThrew, .answer) == ["keep", "the answer", "misuse"])
    #expect(run(.operationThrew, .answer, .answer) == ["nothing", "discard", "misuse"])
  }
}
