import CooperativeCancellation
import Testing

@Suite("ReplyMachine", .watchdog)
struct ReplyMachineTests {
  enum Step {
    /// The SDK calls the completion.
    case answer
    /// The task looks for an early answer.
    case take
    /// The task goes to wait.
    case forward
    /// `operation` threw.
    case refuse
  }

  /// What the machine says to each step.
  private func run(_ steps: Step...) -> [String] {
    var machine = ReplyMachine<Int>.expected
    return steps.map { step in
      switch step {
      case .answer:
        switch machine.answer(1) {
        case .keep: "keep"
        case .forward: "forward"
        case .discard: "discard"
        case .reportAndDiscard: "misuse"
        }
      case .take: machine.takeEarly() == nil ? "nothing" : "the answer"
      case .forward:
        machine.forward(to: Shared(Wait(response: .abandonCallback))) == nil
          ? "nothing" : "the answer"
      case .refuse: machine.refuse() == nil ? "nothing" : "the answer"
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
  func `an answer to a waiting task is forwarded once`() {
    #expect(
      run(.take, .forward, .answer, .answer) == ["nothing", "nothing", "forward", "misuse"]
    )
  }

  @Test
  func `an answer between the task's look and its wait is not lost`() {
    #expect(
      run(.take, .answer, .forward, .answer) == ["nothing", "keep", "the answer", "misuse"]
    )
  }

  @Test
  func `after operation threw, an earlier answer is handed out and a later one discarded`() {
    #expect(run(.answer, .refuse, .answer) == ["keep", "the answer", "misuse"])
    #expect(run(.refuse, .answer, .answer) == ["nothing", "discard", "misuse"])
  }
}
