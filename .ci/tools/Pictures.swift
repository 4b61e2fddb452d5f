import Foundation

/// The pictures of the documentation.
struct Pictures {
  private let pictures = [
    "abandonCallback.svg": Pictures.abandonCallback(),
    "waitForCallback.svg": Pictures.waitForCallback(),
    "deliverResult.svg": Pictures.deliverResult(),
    "byHandAndBridged.svg": Pictures.byHandAndBridged(),
    "states.svg": Pictures.states(),
  ]

  func write(to folder: String) throws {
    for (name, source) in pictures {
      try source.write(toFile: "\(folder)/\(name)", atomically: true, encoding: .utf8)
    }
  }

  /// Fails if a picture in the folder is not what this would draw.
  func check(against folder: String) throws {
    for (name, source) in pictures.sorted(by: { $0.key < $1.key }) {
      let file = "\(folder)/\(name)"
      guard try String(contentsOfFile: file, encoding: .utf8) == source else {
        throw Failure("\(file): error: not what .ci/pictures draws; run it, and commit the picture")
      }
    }
    print("\(pictures.count) pictures are what .ci/pictures draws")
  }

  // MARK: - What a cancel means

  private static let start = 110
  private static let cancel = 300
  private static let answer = 540

  /// A task and an SDK: the call, the cancel, and what the SDK is told.
  private static func call(_ title: String, height: Int = 200) -> SVG {
    var svg = SVG(width: 760, height: height, title: title)
    svg.text("your task", x: 20, y: 75)
    svg.text("the SDK", x: 20, y: 155)
    svg.arrow(x: cancel, from: 34, to: 56, .bad)
    svg.text("cancelled", x: cancel, y: 27, .bad, anchor: .middle)
    svg.text("operation", x: start + 16, y: 115, .faint, size: 13)
    svg.text("onCancel", x: cancel + 10, y: 115, .faint, size: 13)
    return svg
  }

  private static func drawSDK(_ svg: inout SVG) {
    svg.bar("works", from: start, to: cancel, y: 150, .sdk)
    svg.bar("stops, or works on", from: cancel + 3, to: answer, y: 150, .sdkAfterCancel)
    svg.arrow(x: start + 6, from: 84, to: 136, .faint)
    svg.arrow(x: cancel + 3, from: 84, to: 136, .bad)
  }

  private static func abandonCallback() -> String {
    var svg = call("whenCancelled: .abandonCallback")
    svg.bar("waits", from: start, to: cancel + 3, y: 70, .task)
    drawSDK(&svg)
    svg.text("throws CancellationError", x: cancel + 14, y: 75, .bad, isBold: true)
    svg.text("answers:", x: answer + 10, y: 147, .faint, size: 13)
    svg.text("a value goes to onDiscard", x: answer + 10, y: 164, .faint, size: 13)
    return svg.source
  }

  private static func waitForCallback() -> String {
    var svg = call("whenCancelled: .waitForCallback")
    drawLongWait(&svg)
    svg.text("throws", x: answer + 14, y: 67, .bad, isBold: true)
    svg.text("CancellationError", x: answer + 14, y: 84, .bad, isBold: true)
    svg.text("answers:", x: answer + 10, y: 147, .faint, size: 13)
    svg.text("a value goes to onDiscard", x: answer + 10, y: 164, .faint, size: 13)
    return svg.source
  }

  private static func deliverResult() -> String {
    var svg = call("whenCancelled: .deliverResult")
    drawLongWait(&svg)
    svg.text("returns the value, or", x: answer + 14, y: 67, .task, isBold: true)
    svg.text("throws the SDK's error", x: answer + 14, y: 84, .task, isBold: true)
    svg.text("answers", x: answer + 10, y: 155, .faint, size: 13)
    return svg.source
  }

  private static func drawLongWait(_ svg: inout SVG) {
    svg.bar("waits", from: start, to: cancel, y: 70, .task)
    svg.bar("waits on", from: cancel + 3, to: answer, y: 70, .taskAfterCancel)
    drawSDK(&svg)
    svg.arrow(x: answer - 6, from: 136, to: 84, .faint)
  }

  // MARK: - By hand and bridged

  /// What `swift run Tour` prints of a child process.
  private static func byHandAndBridged() -> String {
    let cancel = 245
    let end = 560
    var svg = SVG(width: 760, height: 330, title: "A wrapper by hand, and the bridge")
    svg.text("by hand", x: 20, y: 32, isBold: true)
    svg.text("your task", x: 20, y: 75)
    svg.text("the SDK", x: 20, y: 125)
    svg.bar("waits", from: start, to: end, y: 70, .task)
    svg.bar("works to the end", from: start, to: end, y: 120, .sdk)
    svg.text("returns its value,", x: end + 12, y: 67, .bad, isBold: true)
    svg.text("though cancelled", x: end + 12, y: 84, .bad, isBold: true)
    svg.text("was told nothing", x: end + 12, y: 125, .faint, size: 13)

    svg.text("bridged", x: 20, y: 182, isBold: true)
    svg.text("your task", x: 20, y: 225)
    svg.text("the SDK", x: 20, y: 275)
    svg.bar("waits", from: start, to: cancel, y: 220, .task)
    svg.bar("works", from: start, to: cancel + 6, y: 270, .sdk)
    svg.arrow(x: cancel, from: 234, to: 256, .bad)
    svg.text("throws CancellationError", x: cancel + 12, y: 225, .task, isBold: true)
    svg.text("was told, and stopped", x: cancel + 16, y: 275, .faint, size: 13)

    for top in [27, 177] {
      svg.text("cancelled", x: cancel, y: top, .bad, anchor: .middle)
      svg.arrow(x: cancel, from: top + 7, to: top + 29, .bad)
    }
    svg.line(from: (start, 300), to: (end, 300), .frame)
    for (x, time) in [(start, "0 s"), (cancel, "0.5 s"), (end, "2 s")] {
      svg.line(from: (x, 296), to: (x, 304), .faint)
      svg.text(time, x: x, y: 319, .faint, anchor: .middle, size: 12)
    }
    return svg.source
  }

  // MARK: - The state machines

  /// The columns of states, and the middle of each.
  private static let columns = [(30, 150), (330, 450), (620, 740)]

  private static func state(
    _ name: String,
    _ column: Int,
    y: Int,
    _ color: SVG.Color,
    in svg: inout SVG
  ) {
    svg.bar(name, from: columns[column].0, to: columns[column].1, y: y, color)
  }

  private static func states() -> String {
    var svg = SVG(width: 770, height: 450, title: "The two state machines of a bridged call")
    svg.text(
      "ReplyMachine: one answer of a completion that is called never, once or often",
      x: 20,
      y: 30,
      isBold: true
    )
    state("expected", 0, y: 90, .sdk, in: &svg)
    state("answered", 1, y: 90, .sdk, in: &svg)
    state("called", 2, y: 90, .sdk, in: &svg)
    state("awaited", 1, y: 160, .sdk, in: &svg)
    state("unwanted", 1, y: 220, .sdk, in: &svg)
    svg.arrow(along: [(150, 90), (330, 90)], .faint)
    svg.text("the SDK answers", x: 240, y: 82, .faint, anchor: .middle, size: 12)
    svg.arrow(along: [(450, 90), (620, 90)], .faint)
    svg.text("the task takes the answer", x: 535, y: 82, .faint, anchor: .middle, size: 12)
    svg.arrow(along: [(110, 103), (110, 160), (330, 160)], .faint)
    svg.text("the task goes to sleep", x: 220, y: 152, .faint, anchor: .middle, size: 12)
    svg.arrow(along: [(390, 147), (390, 103)], .faint)
    svg.text("the SDK answers: the wait is told", x: 400, y: 130, .faint, size: 12)
    svg.arrow(along: [(70, 103), (70, 220), (330, 220)], .faint)
    svg.text("operation throws", x: 200, y: 212, .faint, anchor: .middle, size: 12)
    svg.arrow(along: [(450, 220), (680, 220), (680, 103)], .faint)
    svg.text("the SDK answers: discarded", x: 560, y: 212, .faint, anchor: .middle, size: 12)
    svg.text("again: reported", x: 680, y: 70, .bad, anchor: .middle, size: 12)
    svg.text(
      "released uncalled: the wait is told",
      x: 460,
      y: 165,
      .bad,
      size: 11
    )

    svg.text("WaitMachine: what came first", x: 20, y: 280, isBold: true)
    state("nothing yet", 0, y: 335, .task, in: &svg)
    state("heard", 1, y: 335, .task, in: &svg)
    state("ended", 2, y: 335, .task, in: &svg)
    state("interrupted", 1, y: 410, .task, in: &svg)
    svg.arrow(along: [(150, 335), (330, 335)], .faint)
    svg.text("answer or drop", x: 240, y: 327, .faint, anchor: .middle, size: 12)
    svg.arrow(along: [(450, 335), (620, 335)], .faint)
    svg.text("the task reads it", x: 535, y: 327, .faint, anchor: .middle, size: 12)
    svg.arrow(along: [(90, 348), (90, 410), (330, 410)], .bad)
    svg.text("cancel or timeout", x: 210, y: 402, .bad, anchor: .middle, size: 12)
    svg.arrow(along: [(390, 397), (390, 348)], .faint)
    svg.text("onCancel; then answer or drop", x: 400, y: 377, .faint, size: 12)
    svg.arrow(along: [(450, 410), (680, 410), (680, 348)], .faint)
    svg.text("onCancel; .abandonCallback", x: 560, y: 402, .faint, anchor: .middle, size: 12)
    return svg.source
  }
}
