// What somebody may have chosen.

final class Debatable {
  weak var delegate: Box?

  func forwards(completion: @escaping (Int) -> Void) {
    delegate?.ask { completion(1) }  // warning: maybe-never-called
  }

  func onlySuccess(_ number: Int?, completion: @escaping (Int) -> Void) {
    guard let number else {
      show("no number")
      return  // warning: maybe-never-called
    }
    completion(number)
  }

  func noPlaceForFailure(_ number: Int?, completion: @escaping (Int) -> Void) {
    guard let number else {
      print("no number")
      return  // warning: never-called
    }
    completion(number)
  }

  func failureHasPlace(_ number: Int?, completion: @escaping (Int?) -> Void) {
    guard let number else {
      show("no number")
      return  // warning: never-called
    }
    completion(number)
  }

  func onlyFails(_ number: Int?, completion: @escaping (Result<Void, any Error>) -> Void) {
    guard number != nil else { return completion(.failure(CancellationError())) }
    show("done")
  }  // warning: maybe-never-called

  func says(_ number: Int?, completion: @escaping (String?) -> Void) {
    if number == nil { completion("no number") }  // warning: maybe-never-called
  }

  func mayBeLeftOut(_ number: Int?, completion: ((Int) -> Void)?) {
    if let number { completion?(number) }  // warning: maybe-never-called
  }

  func show(_ text: String) {}
}
