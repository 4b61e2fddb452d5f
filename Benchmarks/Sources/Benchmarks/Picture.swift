/// What a call costs against its baselines, as bars. It has a panel of its own behind it, so that it can be
/// read on a light page and on a dark one.
struct Picture {
  private enum Color: String {
    case panel = "#fbfaf8"
    case frame = "#d0ccc4"
    case text = "#1f2328"
    case faint = "#59636e"
    case library = "#2f6fbd"
    case baseline = "#b8b3a8"
  }

  private struct Bar {
    let text: String
    let cost: Double
    let color: Color
  }

  private static let width = 760
  private static let left = 300
  private static let longest = 380

  private let groups: [(name: String, bars: [Bar])]

  init(_ findings: [Finding]) {
    // The rows of one name share a bar of the library's.
    groups = Summary.names.map { name in
      let rows = findings.filter { $0.comparison.name == name }
      let library = rows.prefix(1).map { Bar(text: "bridged", cost: $0.cost, color: .library) }
      let baselines = rows.map {
        Bar(text: $0.comparison.baseline, cost: $0.baselineCost, color: .baseline)
      }
      return (name, library + baselines)
    }
  }

  var source: String {
    let slowest = groups.flatMap(\.bars).map(\.cost).max() ?? 1
    var elements: [String] = []
    var y = 34
    for (name, bars) in groups {
      elements.append(text(name, x: 20, y: y, .text, weight: 600))
      for bar in bars {
        y += 26
        let length = Int(bar.cost / slowest * Double(Picture.longest))
        elements.append(text(bar.text, x: Picture.left - 10, y: y, .text, anchor: "end"))
        elements.append(
          """
          <rect x="\(Picture.left)" y="\(y - 14)" width="\(length)" height="19" rx="3" \
          fill="\(bar.color.rawValue)"/>
          """
        )
        elements.append(
          text("\(Int(bar.cost.rounded())) ns", x: Picture.left + length + 8, y: y, .faint)
        )
      }
      y += 40
    }
    return ([head(height: y - 14)] + elements + ["</svg>\n"]).joined(separator: "\n")
  }

  private func head(height: Int) -> String {
    let width = Picture.width
    return """
      <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" \
      viewBox="0 0 \(width) \(height)" role="img" \
      font-family="system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif">
      <title>Nanoseconds per call</title>
      <rect x="0.5" y="0.5" width="\(width - 1)" height="\(height - 1)" rx="8" \
      fill="\(Color.panel.rawValue)" stroke="\(Color.frame.rawValue)"/>
      """
  }

  private func text(
    _ text: String,
    x: Int,
    y: Int,
    _ color: Color,
    anchor: String = "start",
    weight: Int = 400
  ) -> String {
    """
    <text x="\(x)" y="\(y)" fill="\(color.rawValue)" font-size="14" font-weight="\(weight)" \
    text-anchor="\(anchor)">\(text)</text>
    """
  }
}
