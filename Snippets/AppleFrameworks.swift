// The code of the page "Apple's frameworks". It is compiled against stand-ins at the end, which
// have the signatures of Apple's documentation, and is not run.

import CallbackSequences
import CooperativeCancellation
import Foundation
import PendingAnswers
import Synchronization
import TaskBags

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

// MARK: - Sign in

@MainActor
final class WebSignIn: NSObject, ASWebAuthenticationPresentationContextProviding {
  func callback(from url: URL) async throws -> URL {
    let answer = PendingCall<URL>()
    return try await answer.value {
      let session = ASWebAuthenticationSession(url: url, callback: .customScheme("myapp")) {
        @Sendable url, error in
        if let url { answer.resume(returning: url) }
        if let error { answer.resume(throwing: error) }
      }
      session.presentationContextProvider = self
      if !session.start() { throw NotStarted() }
      return session
    } onCancel: { session in
      session.cancel()
    }
  }
}

@MainActor
final class AppleSignIn {
  func userID(_ requests: [ASAuthorizationRequest]) async throws -> String {
    try await withAsyncThrowingValue { completion in
      let controller = ASAuthorizationController(authorizationRequests: requests)
      let delegate = AuthorizationDelegate(completion)
      controller.delegate = delegate
      controller.performRequests()
      return (controller, delegate)
    } onCancel: { controller, _ in
      controller.cancel()
    }
  }
}

@MainActor
final class AuthorizationDelegate: NSObject, ASAuthorizationControllerDelegate {
  private let completion: @Sendable (String?, (any Error)?) -> Void

  init(_ completion: @escaping @Sendable (String?, (any Error)?) -> Void) {
    self.completion = completion
  }

  func authorizationController(
    controller: ASAuthorizationController,
    didCompleteWithAuthorization authorization: ASAuthorization
  ) {
    completion((authorization.credential as? ASAuthorizationAppleIDCredential)?.user, nil)
  }

  func authorizationController(
    controller: ASAuthorizationController,
    didCompleteWithError error: any Error
  ) {
    completion(nil, error)
  }
}

@MainActor
final class FaceID {
  func authenticate(_ reason: String) async throws {
    let context = LAContext()
    _ = try await withAsyncThrowingValue { completion in
      context.evaluatePolicy(
        .deviceOwnerAuthentication,
        localizedReason: reason,
        reply: completion
      )
    } onCancel: {
      context.invalidate()
    }
  }
}

// MARK: - Pickers and sheets

@MainActor
final class Documents {
  func documents(over screen: UIViewController) async throws -> [URL] {
    let choice = PendingCall<[URL]>()
    return try await choice.value {
      let picker = UIDocumentPickerViewController(forOpeningContentTypes: [.pdf])
      let delegate = PickerDelegate(choice)
      picker.delegate = delegate
      picker.presentationController?.delegate = delegate
      screen.present(picker, animated: true)
      return (picker, delegate)
    } onCancel: { picker, _ in
      picker.dismiss(animated: true)
    }
  }
}

@MainActor
final class PickerDelegate: NSObject, UIDocumentPickerDelegate,
  UIAdaptivePresentationControllerDelegate
{
  private let choice: PendingCall<[URL]>

  init(_ choice: PendingCall<[URL]>) {
    self.choice = choice
  }

  func documentPicker(
    _ controller: UIDocumentPickerViewController,
    didPickDocumentsAt urls: [URL]
  ) {
    choice.resume(returning: urls)
  }

  func documentPickerWasCancelled(_ controller: UIDocumentPickerViewController) {
    choice.resume(throwing: CancellationError())
  }

  // The person has swiped the sheet down.
  func presentationControllerDidDismiss(_ presentationController: UIPresentationController) {
    choice.resume(throwing: CancellationError())
  }
}

@MainActor
final class Alerts {
  func confirm(_ question: String, over screen: UIViewController) async throws -> Bool {
    try await withAsyncThrowingValue { (completion: @escaping @Sendable (Bool) -> Void) in
      let alert = UIAlertController(title: question, message: nil, preferredStyle: .alert)
      alert.addAction(UIAlertAction(title: "Delete", style: .destructive) { _ in completion(true) })
      alert.addAction(UIAlertAction(title: "Keep", style: .cancel) { _ in completion(false) })
      screen.present(alert, animated: true)
      return alert
    } onCancel: { alert in
      alert.dismiss(animated: true)
    }
  }
}

// MARK: - NFC

@MainActor
final class Tags {
  func text() async throws -> String {
    try await withAsyncThrowingValue(whenCancelled: .waitForCallback) { completion in
      let delegate = TagDelegate(completion)
      let session = NFCNDEFReaderSession(
        delegate: delegate,
        queue: nil,
        invalidateAfterFirstRead: true
      )
      session.begin()
      return (session, delegate)
    } onCancel: { session, _ in
      session.invalidate()
    }
  }
}

nonisolated final class TagDelegate: NSObject, NFCNDEFReaderSessionDelegate {
  private let text = Mutex<String?>(nil)
  private let completion: @Sendable (Result<String, any Error>) -> Void

  init(_ completion: @escaping @Sendable (Result<String, any Error>) -> Void) {
    self.completion = completion
  }

  func readerSession(
    _ session: NFCNDEFReaderSession,
    didDetectNDEFs messages: [NFCNDEFMessage]
  ) {
    let payload = messages.first?.records.first?.payload
    text.withLock { $0 = payload.map { String(decoding: $0, as: UTF8.self) } }
  }

  // Always the session's last call, also after a tag.
  func readerSession(_ session: NFCNDEFReaderSession, didInvalidateWithError error: any Error) {
    if let text = text.withLock({ $0 }) {
      completion(.success(text))
    } else {
      completion(.failure(error))
    }
  }
}

// MARK: - Location

@MainActor
final class Location {
  func coordinate() async throws -> CLLocationCoordinate2D {
    try await withAsyncThrowingValue(timeout: .seconds(30)) { completion in
      let (manager, delegate) = (CLLocationManager(), LocationDelegate(completion))
      manager.delegate = delegate
      manager.requestLocation()
      return (manager, delegate)
    } onCancel: { manager, _ in
      manager.stopUpdatingLocation()
    }
  }
}

nonisolated final class LocationDelegate: NSObject, CLLocationManagerDelegate {
  private let completion: @Sendable (CLLocationCoordinate2D?, (any Error)?) -> Void

  init(_ completion: @escaping @Sendable (CLLocationCoordinate2D?, (any Error)?) -> Void) {
    self.completion = completion
  }

  func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
    completion(locations.last?.coordinate, nil)
  }

  func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
    completion(nil, error)
  }
}

@MainActor
final class LocationPermission: NSObject, CLLocationManagerDelegate {
  private let manager = CLLocationManager()
  private let decision = PendingEvent<CLAuthorizationStatus>()

  override init() {
    super.init()
    manager.delegate = self
  }

  func request() async throws -> CLAuthorizationStatus {
    try await decision.value {
      if manager.authorizationStatus == .notDetermined {
        manager.requestWhenInUseAuthorization()
      } else {
        decision.resume(returning: manager.authorizationStatus)
      }
    }
  }

  nonisolated func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
    let status = manager.authorizationStatus
    if status != .notDetermined { decision.resume(returning: status) }
  }
}

// MARK: - Photos and the camera

@MainActor
final class Library {
  private let manager = PHImageManager()

  func image(for asset: PHAsset, size: CGSize) async throws -> UIImage {
    let options = PHImageRequestOptions()
    options.deliveryMode = .highQualityFormat  // One image, and no preview before it.
    return try await withAsyncThrowingValue { completion in
      manager.requestImage(
        for: asset,
        targetSize: size,
        contentMode: .aspectFit,
        options: options
      ) { @Sendable image, info in
        completion(image, info?[PHImageErrorKey] as? any Error)
      }
    } onCancel: { number in
      manager.cancelImageRequest(number)
    }
  }
}

@MainActor
final class Camera {
  private let output = AVCapturePhotoOutput()

  func photo() async throws -> Data {
    try await withAsyncThrowingValue { completion in
      let delegate = PhotoDelegate(completion)
      output.capturePhoto(with: AVCapturePhotoSettings(), delegate: delegate)
      return delegate
    }
  }
}

nonisolated final class PhotoDelegate: NSObject, AVCapturePhotoCaptureDelegate {
  private let data = Mutex<Data?>(nil)
  private let completion: @Sendable (Data?, (any Error)?) -> Void

  init(_ completion: @escaping @Sendable (Data?, (any Error)?) -> Void) {
    self.completion = completion
  }

  func photoOutput(
    _ output: AVCapturePhotoOutput,
    didFinishProcessingPhoto photo: AVCapturePhoto,
    error: (any Error)?
  ) {
    if error == nil { data.withLock { $0 = photo.fileDataRepresentation() } }
  }

  // Always the last call for a photo.
  func photoOutput(
    _ output: AVCapturePhotoOutput,
    didFinishCaptureFor resolvedSettings: AVCaptureResolvedPhotoSettings,
    error: (any Error)?
  ) {
    completion(data.withLock { $0 }, error)
  }
}

// MARK: - Audio and speech

@MainActor
final class Voice {
  func speak(_ text: String) async throws {
    try await withAsyncThrowingValue { completion in
      let (synthesizer, delegate) = (AVSpeechSynthesizer(), SpeechDelegate(completion))
      synthesizer.delegate = delegate
      synthesizer.speak(AVSpeechUtterance(string: text))
      return (synthesizer, delegate)
    } onCancel: { synthesizer, _ in
      _ = synthesizer.stopSpeaking(at: .immediate)
    }
  }
}

nonisolated final class SpeechDelegate: NSObject, AVSpeechSynthesizerDelegate {
  private let completion: @Sendable (Result<Void, any Error>) -> Void

  init(_ completion: @escaping @Sendable (Result<Void, any Error>) -> Void) {
    self.completion = completion
  }

  func speechSynthesizer(
    _ synthesizer: AVSpeechSynthesizer,
    didFinish utterance: AVSpeechUtterance
  ) {
    completion(.success)
  }

  // After `stopSpeaking(at:)`.
  func speechSynthesizer(
    _ synthesizer: AVSpeechSynthesizer,
    didCancel utterance: AVSpeechUtterance
  ) {
    completion(.failure(CancellationError()))
  }
}

@MainActor
final class Sounds {
  func play(_ file: URL) async throws {
    let finished = try await withAsyncThrowingValue { completion in
      let player = try AVAudioPlayer(contentsOf: file)
      let delegate = PlayerDelegate(completion)
      player.delegate = delegate
      if !player.play() { throw NotStarted() }
      return (player, delegate)
    } onCancel: { player, _ in
      player.stop()
    }
    if !finished { throw NotDecoded() }
  }
}

@MainActor
final class PlayerDelegate: NSObject, AVAudioPlayerDelegate {
  private let completion: @Sendable (Bool) -> Void

  init(_ completion: @escaping @Sendable (Bool) -> Void) {
    self.completion = completion
  }

  func audioPlayerDidFinishPlaying(_ player: AVAudioPlayer, successfully flag: Bool) {
    completion(flag)
  }
}

@MainActor
final class Films {
  func waitUntilReady(_ item: AVPlayerItem) async throws {
    let states = AsyncThrowingCallbackSequence(buffering: .newest(1)) { yield in
      item.observe(\.status, options: [.initial, .new]) { @Sendable item, _ in
        yield(item.status)
      }
    } onTermination: { observation in
      observation.invalidate()
    }
    for try await status in states {
      switch status {
      case .unknown: break
      case .readyToPlay: return
      case .failed: throw item.error ?? NotStarted()
      }
    }
  }
}

@MainActor
final class Dictation {
  private let recognizer = SFSpeechRecognizer()

  func texts(of request: SFSpeechRecognitionRequest) -> AsyncThrowingCallbackSequence<String> {
    AsyncThrowingCallbackSequence(buffering: .newest(1)) { [recognizer] yield, finish in
      recognizer.recognitionTask(with: request) { @Sendable result, error in
        if let result { yield(result.bestTranscription.formattedString) }
        if error != nil || result?.isFinal == true { finish(error) }
      }
    } onTermination: { task in
      task.cancel()
    }
  }
}

// MARK: - Maps and the web

@MainActor
final class Map {
  func names(matching request: MKLocalSearch.Request) async throws -> [String] {
    try await withAsyncThrowingValue { completion in
      let search = MKLocalSearch(request: request)
      search.start { @Sendable response, error in
        completion(response?.mapItems.map { $0.name ?? "" }, error)
      }
      return search
    } onCancel: { search in
      search.cancel()
    }
  }
}

@MainActor
final class Browser: NSObject, WKNavigationDelegate {
  private let webView = WKWebView()
  private let loads = PendingCalls<ObjectIdentifier, Void>()
  private var latest: ObjectIdentifier?

  override init() {
    super.init()
    webView.navigationDelegate = self
  }

  func load(_ request: URLRequest) async throws {
    try await loads.value {
      guard let navigation = webView.load(request) else { throw NotStarted() }
      latest = ObjectIdentifier(navigation)
      return ObjectIdentifier(navigation)
    } onCancel: { navigation in
      if navigation == latest { webView.stopLoading() }
    }
  }

  func title() async throws -> String? {
    try await withAsyncThrowingValueIfPresent { completion in
      webView.evaluateJavaScript("document.title") { @Sendable result, error in
        completion(result as? String, error)
      }
    }
  }

  func webView(_ webView: WKWebView, didFinish navigation: WKNavigation!) {
    if let navigation { loads.resume(ObjectIdentifier(navigation)) }
  }

  func webView(
    _ webView: WKWebView,
    didFailProvisionalNavigation navigation: WKNavigation!,
    withError error: any Error
  ) {
    if let navigation { loads.resume(ObjectIdentifier(navigation), throwing: error) }
  }

  func webView(
    _ webView: WKWebView,
    didFail navigation: WKNavigation!,
    withError error: any Error
  ) {
    if let navigation { loads.resume(ObjectIdentifier(navigation), throwing: error) }
  }

  func webViewWebContentProcessDidTerminate(_ webView: WKWebView) {
    loads.resumeAll(throwing: NotStarted())
  }
}

// MARK: - Health

@MainActor
final class Steps {
  private let store = HKHealthStore()

  func changes(
    of type: HKSampleType
  ) -> AsyncThrowingCallbackSequence<@Sendable () -> Void> {
    AsyncThrowingCallbackSequence(buffering: .unbounded) { [store] yield, finish in
      let query = HKObserverQuery(sampleType: type, predicate: nil) {
        @Sendable _, done, error in
        nonisolated(unsafe) let done = done  // HealthKit lets any thread call it.
        if let error {
          done()
          finish(error)
        } else {
          yield { done() }
        }
      }
      store.execute(query)
      return query
    } onTermination: { [store] query in
      store.stop(query)
    } onDiscard: { done in
      done()
    }
  }

  func follow(_ type: HKSampleType) async throws {
    for try await done in changes(of: type) {
      defer { done() }
      await load()
    }
  }

  private func load() async {}
}

// MARK: - Background transfers

final class Uploads: NSObject, URLSessionTaskDelegate {
  private let ends = Mutex<[URL: PendingEvent<Void>]>([:])

  /// Waits for an upload, also for one that an earlier launch of the app has begun.
  func waitForUpload(to url: URL) async throws {
    try await end(of: url).value()
  }

  private func end(of url: URL) -> PendingEvent<Void> {
    ends.withLock { ends in
      let end = ends[url] ?? PendingEvent()
      ends[url] = end
      return end
    }
  }

  func urlSession(
    _ session: URLSession,
    task: URLSessionTask,
    didCompleteWithError error: (any Error)?
  ) {
    guard let url = task.originalRequest?.url else { return }
    if let error {
      end(of: url).close(throwing: error)
    } else {
      end(of: url).close(returning: ())
    }
  }
}

struct NotStarted: Error {}
struct NotDecoded: Error {}

// MARK: - Network

@MainActor
final class Connector {
  private let queue = DispatchQueue(label: "network")

  func connection(to endpoint: NWEndpoint) async throws -> NWConnection {
    let connection = NWConnection(to: endpoint, using: .tcp)
    let opening = PendingCall<Void>()
    connection.stateUpdateHandler = { @Sendable state in
      switch state {
      case .ready: opening.resume()
      case .failed(let error): opening.resume(throwing: error)
      default: break  // Also `.waiting`, whose error is not final.
      }
    }
    do {
      try await opening.value(timeout: .seconds(30)) { connection.start(queue: queue) }
    } catch {
      connection.cancel()
      throw error
    }
    return connection
  }

  func chunk(from connection: NWConnection) async throws -> (Data?, isComplete: Bool) {
    try await withAsyncThrowingValue { completion in
      connection.receive(minimumIncompleteLength: 1, maximumLength: 65_536) {
        @Sendable data, _, isComplete, error in
        completion(error.map { .failure($0) } ?? .success((data, isComplete)))
      }
    }
  }
}

@MainActor
final class Peers {
  private let session = MCSession()

  func send(_ file: URL, to peer: MCPeerID) async throws {
    try await withAsyncThrowingValue { completion in
      session.sendResource(
        at: file,
        withName: file.lastPathComponent,
        toPeer: peer,
        withCompletionHandler: completion
      )
    } onCancel: { progress in
      progress?.cancel()
    }
  }
}

@MainActor
final class Watch {
  private let session = WCSession()

  func reply(to data: Data) async throws -> Data {
    try await withAsyncThrowingValue { success, failure in
      session.sendMessageData(data, replyHandler: success, errorHandler: failure)
    }
  }
}

@MainActor
func file(from provider: NSItemProvider) async throws -> URL {
  let copy = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
  return try await withAsyncThrowingValue { completion in
    provider.loadFileRepresentation(forTypeIdentifier: "public.movie") { @Sendable file, error in
      guard let file else { return completion(nil, error) }
      do {
        // The system deletes its file when this closure returns.
        try FileManager.default.copyItem(at: file, to: copy)
        completion(copy, nil)
      } catch {
        completion(nil, error)
      }
    }
  } onCancel: { progress in
    progress.cancel()
  } onDiscard: { file in
    try? FileManager.default.removeItem(at: file)
  }
}

@MainActor
final class Cities {
  func cities(at location: CLLocation) async throws -> [String] {
    try await withAsyncThrowingValue { completion in
      let geocoder = CLGeocoder()
      geocoder.reverseGeocodeLocation(location) { @Sendable placemarks, error in
        completion(placemarks?.compactMap(\.locality), error)
      }
      return geocoder
    } onCancel: { geocoder in
      geocoder.cancelGeocode()
    }
  }
}

// MARK: - Augmented reality

@MainActor
final class Room {
  private let session = ARSession()

  func map() async throws -> Data {
    try await withAsyncThrowingValue { success, failure in
      session.getCurrentWorldMap { @Sendable map, error in
        guard let map else { return failure(error) }
        do { success(try archive(map)) } catch { failure(error) }
      }
    }
  }
}

nonisolated func archive(_ map: ARWorldMap) throws -> Data {
  try NSKeyedArchiver.archivedData(withRootObject: map, requiringSecureCoding: true)
}

// MARK: - Background time

@MainActor
final class Backup {
  private let taskBag = TaskBag()
  private let service = BackupService()
  private var background = UIBackgroundTaskIdentifier.invalid

  func start() {
    background = UIApplication.shared.beginBackgroundTask { [weak self] in
      self?.taskBag.cancelAll()
      self?.endBackground()
    }
    taskBag.add { [weak self, service] in
      defer { self?.endBackground() }
      try await service.upload()
    }
  }

  private func endBackground() {
    guard background != .invalid else { return }
    UIApplication.shared.endBackgroundTask(background)
    background = .invalid
  }
}

struct BackupService: Sendable {
  func upload() async throws {}
}

// MARK: - Stand-ins, with the signatures of Apple's documentation

class ASWebAuthenticationSession: NSObject {
  struct Callback: Sendable {
    static func customScheme(_ scheme: String) -> Callback { Callback() }
  }
  typealias CompletionHandler = (URL?, (any Error)?) -> Void
  init(url: URL, callback: Callback, completionHandler: @escaping CompletionHandler) {}
  weak var presentationContextProvider: (any ASWebAuthenticationPresentationContextProviding)?
  func start() -> Bool { true }
  func cancel() {}
}
@MainActor protocol ASWebAuthenticationPresentationContextProviding: AnyObject {}

class ASAuthorizationRequest: NSObject {}
class ASAuthorization: NSObject { var credential: any ASAuthorizationCredential { fatalError() } }
protocol ASAuthorizationCredential {}
class ASAuthorizationAppleIDCredential: NSObject, ASAuthorizationCredential {
  var user: String { "" }
}
class ASAuthorizationController: NSObject {
  init(authorizationRequests: [ASAuthorizationRequest]) {}
  weak var delegate: (any ASAuthorizationControllerDelegate)?
  func performRequests() {}
  func cancel() {}
}
@MainActor protocol ASAuthorizationControllerDelegate: AnyObject {
  func authorizationController(
    controller: ASAuthorizationController,
    didCompleteWithAuthorization authorization: ASAuthorization
  )
  func authorizationController(
    controller: ASAuthorizationController,
    didCompleteWithError error: any Error
  )
}

enum LAPolicy { case deviceOwnerAuthentication }
class LAContext: NSObject {
  func evaluatePolicy(
    _ policy: LAPolicy,
    localizedReason: String,
    reply: @escaping @Sendable (Bool, (any Error)?) -> Void
  ) {}
  func invalidate() {}
}

@MainActor class UIPresentationController: NSObject {
  weak var delegate: (any UIAdaptivePresentationControllerDelegate)?
}
@MainActor protocol UIAdaptivePresentationControllerDelegate: AnyObject {
  func presentationControllerDidDismiss(_ presentationController: UIPresentationController)
}
@MainActor class UIViewController: NSObject {
  var presentationController: UIPresentationController? { nil }
  func present(_ controller: UIViewController, animated: Bool, completion: (() -> Void)? = nil) {}
  func dismiss(animated: Bool, completion: (() -> Void)? = nil) {}
}
struct UTType: Sendable { static let pdf = UTType() }
@MainActor class UIDocumentPickerViewController: UIViewController {
  init(forOpeningContentTypes contentTypes: [UTType]) {}
  weak var delegate: (any UIDocumentPickerDelegate)?
}
@MainActor protocol UIDocumentPickerDelegate: AnyObject {
  func documentPicker(
    _ controller: UIDocumentPickerViewController,
    didPickDocumentsAt urls: [URL]
  )
  func documentPickerWasCancelled(_ controller: UIDocumentPickerViewController)
}
@MainActor class UIAlertAction: NSObject {
  enum Style { case destructive, cancel }
  init(title: String?, style: Style, handler: ((UIAlertAction) -> Void)? = nil) {}
}
@MainActor class UIAlertController: UIViewController {
  enum Style { case alert }
  init(title: String?, message: String?, preferredStyle: Style) {}
  func addAction(_ action: UIAlertAction) {}
}
final class UIImage: NSObject, Sendable {}

class NFCNDEFPayload: NSObject { var payload = Data() }
class NFCNDEFMessage: NSObject { var records: [NFCNDEFPayload] = [] }
class NFCNDEFReaderSession: NSObject {
  init(
    delegate: any NFCNDEFReaderSessionDelegate,
    queue: DispatchQueue?,
    invalidateAfterFirstRead: Bool
  ) {}
  func begin() {}
  func invalidate() {}
}
protocol NFCNDEFReaderSessionDelegate: AnyObject {
  func readerSession(_ session: NFCNDEFReaderSession, didDetectNDEFs messages: [NFCNDEFMessage])
  func readerSession(_ session: NFCNDEFReaderSession, didInvalidateWithError error: any Error)
}

struct CLLocationCoordinate2D: Sendable {}
class CLLocation: NSObject { var coordinate: CLLocationCoordinate2D { CLLocationCoordinate2D() } }
enum CLAuthorizationStatus: Sendable { case notDetermined, denied, authorizedWhenInUse }
class CLLocationManager: NSObject {
  weak var delegate: (any CLLocationManagerDelegate)?
  var authorizationStatus: CLAuthorizationStatus { .notDetermined }
  func requestLocation() {}
  func stopUpdatingLocation() {}
  func requestWhenInUseAuthorization() {}
}
protocol CLLocationManagerDelegate: AnyObject {
  func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation])
  func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error)
  func locationManagerDidChangeAuthorization(_ manager: CLLocationManager)
}
extension CLLocationManagerDelegate {
  func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {}
  func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {}
  func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {}
}

class PHAsset: NSObject {}
class PHImageRequestOptions: NSObject {
  enum DeliveryMode { case highQualityFormat }
  var deliveryMode = DeliveryMode.highQualityFormat
}
enum PHImageContentMode { case aspectFit }
let PHImageErrorKey = "PHImageErrorKey"
class PHImageManager: NSObject {
  func requestImage(
    for asset: PHAsset,
    targetSize: CGSize,
    contentMode: PHImageContentMode,
    options: PHImageRequestOptions?,
    resultHandler: @escaping (UIImage?, [AnyHashable: Any]?) -> Void
  ) -> Int32 { 0 }
  func cancelImageRequest(_ requestID: Int32) {}
}

class AVCapturePhotoSettings: NSObject {}
class AVCaptureResolvedPhotoSettings: NSObject {}
class AVCapturePhoto: NSObject { func fileDataRepresentation() -> Data? { nil } }
class AVCapturePhotoOutput: NSObject {
  func capturePhoto(
    with settings: AVCapturePhotoSettings,
    delegate: any AVCapturePhotoCaptureDelegate
  ) {}
}
protocol AVCapturePhotoCaptureDelegate: AnyObject {
  func photoOutput(
    _ output: AVCapturePhotoOutput,
    didFinishProcessingPhoto photo: AVCapturePhoto,
    error: (any Error)?
  )
  func photoOutput(
    _ output: AVCapturePhotoOutput,
    didFinishCaptureFor resolvedSettings: AVCaptureResolvedPhotoSettings,
    error: (any Error)?
  )
}

enum AVSpeechBoundary { case immediate }
class AVSpeechUtterance: NSObject { init(string: String) {} }
class AVSpeechSynthesizer: NSObject {
  weak var delegate: (any AVSpeechSynthesizerDelegate)?
  func speak(_ utterance: AVSpeechUtterance) {}
  @discardableResult func stopSpeaking(at boundary: AVSpeechBoundary) -> Bool { true }
}
protocol AVSpeechSynthesizerDelegate: AnyObject, Sendable {
  func speechSynthesizer(_ synthesizer: AVSpeechSynthesizer, didFinish utterance: AVSpeechUtterance)
  func speechSynthesizer(_ synthesizer: AVSpeechSynthesizer, didCancel utterance: AVSpeechUtterance)
}
class AVAudioPlayer: NSObject {
  init(contentsOf url: URL) throws {}
  weak var delegate: (any AVAudioPlayerDelegate)?
  func play() -> Bool { true }
  func stop() {}
}
@MainActor protocol AVAudioPlayerDelegate: AnyObject {
  func audioPlayerDidFinishPlaying(_ player: AVAudioPlayer, successfully flag: Bool)
}

@MainActor class AVPlayerItem: NSObject {
  enum Status: Sendable { case unknown, readyToPlay, failed }
  nonisolated var status: Status { .unknown }
  nonisolated var error: (any Error)? { nil }
}
/// `observe` of `NSObject`, which Foundation has only on Apple's systems.
struct ObservingOptions: OptionSet {
  static let initial = ObservingOptions(rawValue: 4)
  static let new = ObservingOptions(rawValue: 1)
  let rawValue: UInt
}
class KeyValueObservation: NSObject { func invalidate() {} }
protocol KeyValueObserving {}
extension NSObject: KeyValueObserving {}
extension KeyValueObserving {
  func observe<Value>(
    _ keyPath: KeyPath<Self, Value>,
    options: ObservingOptions,
    changeHandler: @escaping (Self, Value?) -> Void
  ) -> KeyValueObservation { KeyValueObservation() }
}

class SFTranscription: NSObject { var formattedString: String { "" } }
class SFSpeechRecognitionResult: NSObject {
  var bestTranscription: SFTranscription { SFTranscription() }
  var isFinal: Bool { true }
}
class SFSpeechRecognitionRequest: NSObject {}
class SFSpeechRecognitionTask: NSObject { func cancel() {} }
class SFSpeechRecognizer: NSObject {
  func recognitionTask(
    with request: SFSpeechRecognitionRequest,
    resultHandler: @escaping (SFSpeechRecognitionResult?, (any Error)?) -> Void
  ) -> SFSpeechRecognitionTask { SFSpeechRecognitionTask() }
}

class MKMapItem: NSObject { var name: String? { nil } }
class MKLocalSearch: NSObject {
  class Request: NSObject {}
  class Response: NSObject { var mapItems: [MKMapItem] { [] } }
  init(request: Request) {}
  func start(completionHandler: @escaping @MainActor @Sendable (Response?, (any Error)?) -> Void) {}
  func cancel() {}
}

class WKNavigation: NSObject {}
@MainActor class WKWebView: NSObject {
  weak var navigationDelegate: (any WKNavigationDelegate)?
  func load(_ request: URLRequest) -> WKNavigation? { nil }
  func stopLoading() {}
  func evaluateJavaScript(
    _ script: String,
    completionHandler: (@MainActor @Sendable (Any?, (any Error)?) -> Void)? = nil
  ) {}
}
@MainActor protocol WKNavigationDelegate: AnyObject {
  func webView(_ webView: WKWebView, didFinish navigation: WKNavigation!)
  func webView(
    _ webView: WKWebView,
    didFailProvisionalNavigation navigation: WKNavigation!,
    withError error: any Error
  )
  func webView(
    _ webView: WKWebView,
    didFail navigation: WKNavigation!,
    withError error: any Error
  )
  func webViewWebContentProcessDidTerminate(_ webView: WKWebView)
}

class HKSampleType: NSObject {}
class HKObserverQuery: NSObject {
  init(
    sampleType: HKSampleType,
    predicate: NSPredicate?,
    updateHandler:
      @escaping (HKObserverQuery, @escaping () -> Void, (any Error)?) -> Void
  ) {}
}
class HKHealthStore: NSObject {
  func execute(_ query: HKObserverQuery) {}
  func stop(_ query: HKObserverQuery) {}
}

struct NWEndpoint: Sendable {}
struct NWError: Error {}
struct NWParameters: Sendable { static let tcp = NWParameters() }
final class NWConnection: Sendable {
  enum State: Sendable {
    case setup, waiting(NWError), preparing, ready, failed(NWError), cancelled
  }
  final class ContentContext: Sendable {}
  init(to endpoint: NWEndpoint, using parameters: NWParameters) {}
  var stateUpdateHandler: (@Sendable (State) -> Void)? {
    get { nil }
    set {}
  }
  func start(queue: DispatchQueue) {}
  func cancel() {}
  func receive(
    minimumIncompleteLength: Int,
    maximumLength: Int,
    completion: @escaping @Sendable (Data?, ContentContext?, Bool, NWError?) -> Void
  ) {}
}

class MCPeerID: NSObject {}
class MCSession: NSObject {
  func sendResource(
    at resourceURL: URL,
    withName resourceName: String,
    toPeer peerID: MCPeerID,
    withCompletionHandler completionHandler: (((any Error)?) -> Void)? = nil
  ) -> Progress? { nil }
}

class ARWorldMap: NSObject {}
class ARSession: NSObject {
  func getCurrentWorldMap(
    completionHandler: @escaping @Sendable (ARWorldMap?, (any Error)?) -> Void
  ) {}
}

struct UIBackgroundTaskIdentifier: Equatable, Sendable {
  static let invalid = UIBackgroundTaskIdentifier()
}
@MainActor class UIApplication: NSObject {
  static let shared = UIApplication()
  nonisolated func beginBackgroundTask(
    expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil
  ) -> UIBackgroundTaskIdentifier { .invalid }
  nonisolated func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier) {}
}

class WCSession: NSObject {
  func sendMessageData(
    _ data: Data,
    replyHandler: ((Data) -> Void)?,
    errorHandler: ((any Error) -> Void)? = nil
  ) {}
}

class NSItemProvider: NSObject {
  func loadFileRepresentation(
    forTypeIdentifier typeIdentifier: String,
    completionHandler: @escaping @Sendable (URL?, (any Error)?) -> Void
  ) -> Progress { Progress(totalUnitCount: 1) }
}

class CLPlacemark: NSObject { var locality: String? { nil } }
class CLGeocoder: NSObject {
  func reverseGeocodeLocation(
    _ location: CLLocation,
    completionHandler: @escaping @Sendable ([CLPlacemark]?, (any Error)?) -> Void
  ) {}
  func cancelGeocode() {}
}
