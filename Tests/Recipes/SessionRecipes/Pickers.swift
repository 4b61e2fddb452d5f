// Screens that a person may dismiss, and delegates on the main actor.

import CooperativeCancellation
import PendingAnswers

@MainActor
final class Files {
  private let screen: Screen

  init(_ screen: Screen) { self.screen = screen }

  /// Returns `nil` if the person chooses nothing.
  func pickFile() async throws -> String? {
    let choice = PendingCall<String?>()
    return try await choice.value {
      let picker = DocumentPicker()
      let delegate = PickerDelegate(choice)
      picker.delegate = delegate
      picker.presentationDelegate = delegate
      screen.present(picker)
      return (picker, delegate)
    } onCancel: { picker, _ in
      picker.dismiss()
    }
  }
}

@MainActor
final class PickerDelegate: DocumentPickerDelegate, PresentationDelegate {
  private let choice: PendingCall<String?>

  init(_ choice: PendingCall<String?>) { self.choice = choice }

  func documentPicker(_ picker: DocumentPicker, didPick file: String) {
    choice.resume(returning: file)
  }

  func documentPickerWasCancelled(_ picker: DocumentPicker) { choice.resume(returning: nil) }

  func presentationDidDismiss(_ picker: DocumentPicker) { choice.resume(returning: nil) }
}

@MainActor
final class Ads {
  /// Returns `nil` if the person closes the ad before its end.
  func reward(for ad: RewardedAd) async throws -> Int? {
    try await withAsyncThrowingValue(whenCancelled: .deliverResult) { completion in
      let delegate = AdDelegate(completion)
      ad.delegate = delegate
      ad.present { delegate.reward = ad.reward }
      return delegate
    }
  }
}

@MainActor
final class AdDelegate: FullScreenDelegate {
  var reward: Int?
  private let completion: @Sendable (Result<Int?, any Error>) -> Void

  init(_ completion: @escaping @Sendable (Result<Int?, any Error>) -> Void) {
    self.completion = completion
  }

  func adDidDismiss(_ ad: RewardedAd) { completion(.success(reward)) }

  func ad(_ ad: RewardedAd, didFailToPresent error: any Error) { completion(.failure(error)) }
}

// MARK: - The SDKs

@MainActor
protocol DocumentPickerDelegate: AnyObject {
  func documentPicker(_ picker: DocumentPicker, didPick file: String)
  func documentPickerWasCancelled(_ picker: DocumentPicker)
}

@MainActor
protocol PresentationDelegate: AnyObject {
  func presentationDidDismiss(_ picker: DocumentPicker)
}

/// As `UIDocumentPickerViewController`, by Apple's pages of `UIDocumentPickerDelegate` and
/// `presentationControllerDidDismiss(_:)`: it holds both delegates weakly, and tells neither of a
/// dismissal by the app. Public reports say that after a swipe neither may report, or one, or
/// both.
@MainActor
final class DocumentPicker {
  weak var delegate: (any DocumentPickerDelegate)?
  weak var presentationDelegate: (any PresentationDelegate)?
  private var isShown = false
  private let dismissal = Once()

  /// The check is the person, who picks a file, or dismisses the picker.
  fileprivate func show(_ dismissal: [Report]?) {
    isShown = true
    self.dismissal.begin(
      SDKRequest { [weak self] _ in
        Task { @MainActor in
          if let dismissal { self?.close(dismissal) } else { self?.pick("notes.txt") }
        }
      }
    )
  }

  func dismiss() {
    isShown = false
    dismissal.end()
  }

  func pick(_ file: String) {
    guard isShown else { return }
    isShown = false
    delegate?.documentPicker(self, didPick: file)
  }

  func close(_ reports: [Report]) {
    guard isShown else { return }
    isShown = false
    for report in reports {
      switch report {
      case .cancelled: delegate?.documentPickerWasCancelled(self)
      case .dismissed: presentationDelegate?.presentationDidDismiss(self)
      }
    }
  }

  enum Report { case cancelled, dismissed }
}

@MainActor
final class Screen {
  private(set) var picker: DocumentPicker?
  private let dismissal: [DocumentPicker.Report]?

  /// - Parameter dismissal: What a picker reports if the person dismisses it.
  init(dismissal: [DocumentPicker.Report]? = nil) { self.dismissal = dismissal }

  func present(_ picker: DocumentPicker) {
    self.picker = picker
    picker.show(dismissal)
  }
}

@MainActor
protocol FullScreenDelegate: AnyObject {
  func adDidDismiss(_ ad: RewardedAd)
  func ad(_ ad: RewardedAd, didFailToPresent error: any Error)
}

/// As the rewarded ads of Google Mobile Ads, by the pages of
/// `RewardedAd.present(from:userDidEarnRewardHandler:)` and `FullScreenContentDelegate`, whose
/// methods are on the main actor: the reward is earned before the person closes the ad, or never.
/// The app cannot close it.
@MainActor
final class RewardedAd {
  weak var delegate: (any FullScreenDelegate)?
  let reward = 10
  private let isWatched: Bool

  /// - Parameter isWatched: Whether the person watches it to its end.
  init(isWatched: Bool = true) { self.isWatched = isWatched }

  func present(userDidEarnReward: @escaping @MainActor () -> Void) {
    _ = SDKRequest { error in
      Task { @MainActor in
        if let error { return self.delegate?.ad(self, didFailToPresent: error) ?? () }
        if self.isWatched { userDidEarnReward() }
        self.delegate?.adDidDismiss(self)
      }
    }
  }
}
