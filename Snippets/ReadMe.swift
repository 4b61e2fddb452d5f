// The code of the README.

// snippet.use
import CooperativeCancellation

let image = try await withAsyncThrowingValue { completion in
  sdk.image(at: url, completion: completion)
} onCancel: { request in
  request.cancel()  // What the closure above returned.
}
// snippet.end
print(image)

var sdk: SDK { SDK() }
var url: String { "beach.jpeg" }

struct SDK {
  struct Request {
    func cancel() {}
  }

  func image(at url: String, completion: @escaping (String?, (any Error)?) -> Void) -> Request {
    completion("the image at \(url)", nil)
    return Request()
  }
}
