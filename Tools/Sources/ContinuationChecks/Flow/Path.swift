import SwiftSyntax

/// What one path through the code has done so far with what it has to resume.
struct Path: Hashable {
  /// At most two: what more of them do is the same.
  var resumptions: [AbsolutePosition] = []
  /// The closures, or other owners, that may resume it from now on.
  var owners: Set<Int> = []
  /// Nothing can be proved: a flag decides, or values that were tested before.
  var isExcused = false
  /// The last place where the path went past a resumption.
  var skip: Skip?
  /// The values that decided where the path goes.
  var tested: Set<String> = []
  /// A closure that resumes whenever it is called, with nothing decided since it was passed on.
  var answer: AbsolutePosition?
  /// The parameters of a callback that are nil, or false, on this path.
  var absent: Set<String> = []

  struct Skip: Hashable {
    let position: AbsolutePosition
    let reason: String
    /// A `switch` or a chain of `else if`: other branches of it that skip are the same mistake.
    var group: AbsolutePosition?
    /// A call that an optional chain leaves out. What comes later says less.
    var isCall = false
    /// The authors may have intended it: the receiver may be gone, or the failure goes elsewhere.
    var isDebatable = false
  }

  /// A callback has brought a failure, or not what is needed, or an error was thrown.
  var hasFailed = false
  /// Something has failed that fails only for a mistake elsewhere, as the URL of a constant text.
  var isUnlikely = false
  /// Neither a value nor an error has come. By convention, an SDK brings one of them.
  var hasNothing: Bool { absent.count > 1 && absent.contains { Words($0).saysFailure } }

  var isOpen: Bool { resumptions.isEmpty && owners.isEmpty && !isExcused }
}

typealias Paths = Set<Path>

extension Paths {
  func mapPaths(_ change: (inout Path) -> Void) -> Paths {
    reduce(into: []) { paths, path in
      var path = path
      change(&path)
      paths.insert(path)
    }
  }

  func excused(_ isExcused: Bool = true) -> Paths {
    isExcused ? mapPaths { $0.isExcused = true } : self
  }

  func lacking(_ name: String?) -> Paths {
    guard let name else { return self }
    return mapPaths { $0.absent.insert(name) }
  }

  func failed(_ hasFailed: Bool = true) -> Paths {
    hasFailed ? mapPaths { $0.hasFailed = true } : self
  }

  /// Where something else decides, that is the reason.
  func failed(_ hasFailed: Bool, unless isChoice: Bool) -> Paths {
    isChoice ? mapPaths { $0.hasFailed = false } : failed(hasFailed)
  }

  func unlikely(_ isUnlikely: Bool) -> Paths {
    isUnlikely ? mapPaths { $0.isUnlikely = true } : self
  }

  func skipping(_ skip: Path.Skip) -> Paths {
    mapPaths { if $0.isOpen, $0.skip?.isCall != true { $0.skip = skip } }
  }

  /// After a decision. One that depends on the same value as another cannot be told from it.
  func deciding(by decision: Decision) -> Paths {
    mapPaths {
      $0.isExcused = $0.isExcused || !$0.tested.isDisjoint(with: decision.values)
      $0.tested.formUnion(decision.values)
      $0.answer = nil
    }
  }
}
