/// A picture of what happens when, on lanes from left to right.
///
/// It has a panel of its own behind it, so that it can be read on a light page and on a dark one.
struct SVG {
  enum Color: String {
    case panel = "#fbfaf8"
    case frame = "#d0ccc4"
    case text = "#1f2328"
    case faint = "#59636e"
    case task = "#2f6fbd"
    case taskAfterCancel = "#b9cfe9"
    case sdk = "#4a7f4e"
    case sdkAfterCancel = "#c3d9c4"
    case bad = "#b3261e"
    case onBar = "#ffffff"
  }

  enum Anchor: String {
    case start, middle, end
  }

  private let width: Int
  private let height: Int
  private let title: String
  private var elements: [String] = []

  init(width: Int, height: Int, title: String) {
    self.width = width
    self.height = height
    self.title = title
  }

  mutating func text(
    _ text: String,
    x: Int,
    y: Int,
    _ color: Color = .text,
    anchor: Anchor = .start,
    size: Int = 14,
    isBold: Bool = false
  ) {
    let weight = isBold ? " font-weight=\"600\"" : ""
    elements.append(
      """
      <text x="\(x)" y="\(y)" fill="\(color.rawValue)" font-size="\(size)"\(weight) \
      text-anchor="\(anchor.rawValue)">\(text)</text>
      """
    )
  }

  mutating func line(from start: (x: Int, y: Int), to end: (x: Int, y: Int), _ color: Color) {
    elements.append(
      """
      <path d="M\(start.x) \(start.y)L\(end.x) \(end.y)" stroke="\(color.rawValue)" \
      stroke-width="1.5"/>
      """
    )
  }

  /// An arrow straight up or down.
  mutating func arrow(x: Int, from start: Int, to end: Int, _ color: Color) {
    let back = end > start ? -7 : 7
    line(from: (x, start), to: (x, end + back), color)
    elements.append(
      """
      <path d="M\(x - 4) \(end + back)L\(x + 4) \(end + back)L\(x) \(end)Z" \
      fill="\(color.rawValue)"/>
      """
    )
  }

  /// An arrow along straight lines, to the last point.
  mutating func arrow(along points: [(x: Int, y: Int)], _ color: Color) {
    for (start, end) in zip(points, points.dropFirst()) { line(from: start, to: end, color) }
    guard let end = points.last, let before = points.dropLast().last else { return }
    let (back, side) =
      before.y == end.y
      ? ((x: end.x > before.x ? -7 : 7, y: 0), (x: 0, y: 4))
      : ((x: 0, y: end.y > before.y ? -7 : 7), (x: 4, y: 0))
    elements.append(
      """
      <path d="M\(end.x + back.x - side.x) \(end.y + back.y - side.y)\
      L\(end.x + back.x + side.x) \(end.y + back.y + side.y)L\(end.x) \(end.y)Z" \
      fill="\(color.rawValue)"/>
      """
    )
  }

  /// A stretch of time on a lane whose middle is at `y`.
  mutating func bar(_ text: String, from start: Int, to end: Int, y: Int, _ color: Color) {
    elements.append(
      """
      <rect x="\(start)" y="\(y - 13)" width="\(end - start)" height="26" rx="4" \
      fill="\(color.rawValue)"/>
      """
    )
    let isDark = color == .task || color == .sdk
    self.text(text, x: (start + end) / 2, y: y + 5, isDark ? .onBar : .text, anchor: .middle)
  }

  var source: String {
    """
    <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" \
    viewBox="0 0 \(width) \(height)" role="img" \
    font-family="system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif">
    <title>\(title)</title>
    <rect x="0.5" y="0.5" width="\(width - 1)" height="\(height - 1)" rx="8" \
    fill="\(Color.panel.rawValue)" stroke="\(Color.frame.rawValue)"/>
    \(elements.joined(separator: "\n"))
    </svg>

    """
  }
}
