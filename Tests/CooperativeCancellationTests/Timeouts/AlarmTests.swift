#if NO_DISPATCH
  import CooperativeCancellation
  import FakeCallbackSDK
  import Testing

  @Suite("Alarm, without Dispatch", .watchdog) struct AlarmTests {
    @Test func `the alarm rings when it is set, unless it is set again before`() async {
      let rings = Protected(0)
      var alarm = Alarm { rings.withLock { $0 += 1 } }
      alarm.set(after: 3_600_000_000_000)
      let replaced = alarm.countdown
      alarm.set(after: 0)
      await replaced?.value
      await alarm.countdown?.value
      #expect(rings.withLock { $0 } == 1)
    }
  }
#endif
