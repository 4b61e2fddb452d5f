import CooperativeCancellation
import Testing

@Suite("The length of a Timeout", .watchdog) struct TimeoutLengthTests {
  @Test(arguments: [
    (Timeout.seconds(5), "5 seconds"),
    (.seconds(1), "1 second"),
    (.seconds(0.5), "500 milliseconds"),
    (.seconds(1.25), "1.25 seconds"),
    (.seconds(1_000_000), "1000000 seconds"),
    (.milliseconds(250), "250 milliseconds"),
    (.milliseconds(1_001), "1.001 seconds"),
    (.seconds(0.00025), "250 microseconds"),
    (.seconds(0.0000001), "100 nanoseconds"),
    (.seconds(0), "0 seconds"),
    (.seconds(-1), "-1 second"),
    (.seconds(-0.0015), "-1.5 milliseconds"),
    (Timeout(.seconds(90)), "90 seconds"),
    (Timeout(.milliseconds(1_050)), "1.05 seconds"),
    (Timeout(.nanoseconds(1)), "1 nanosecond"),
    // Rounded up.
    (.seconds(1e-30), "1 nanosecond"),
    (.seconds(.leastNonzeroMagnitude), "1 nanosecond"),
    (Timeout(.nanoseconds(0.5)), "1 nanosecond"),
    (Timeout(Duration(secondsComponent: 0, attosecondsComponent: 1)), "1 nanosecond"),
  ])
  func `a length is described in words`(timeout: Timeout, words: String) {
    #expect("\(timeout)" == words)
  }

  @Test(arguments: [
    Timeout.seconds(.infinity), .seconds(.greatestFiniteMagnitude), .seconds(Int64.max),
    .seconds(UInt64.max), .milliseconds(Int64.max),
    .seconds(100 * 365 * 24 * 3600), Timeout(.seconds(Int64.max)),
    Timeout(Duration(secondsComponent: .max, attosecondsComponent: 999_999_999_999_999_999)),
    Timeout(.seconds(Int64.max) * 2),
    Timeout(.seconds(Int64.max), clock: ContinuousClock()),
  ])
  func `a length is unlimited from a hundred years on`(timeout: Timeout) {
    #expect("\(timeout)" == "no limit")
  }

  @Test(arguments: [
    Timeout.seconds(.nan), .seconds(-.infinity), .seconds(Int64.min),
    .milliseconds(Int64.min), .seconds(-0.0), Timeout(.seconds(Int64.min)),
    Timeout(Duration(secondsComponent: .min, attosecondsComponent: -999_999_999_999_999_999)),
    Timeout(.nanoseconds(-0.5)),
  ])
  func `a length that is not a positive number leaves no time`(timeout: Timeout) async {
    await #expect(throws: TimeoutError.self) {
      try await withAsyncThrowingValue(timeout: timeout) { (completion) -> Void in
        Issue.record("the SDK is called")
        completion(.success)
      }
    }
  }
}
