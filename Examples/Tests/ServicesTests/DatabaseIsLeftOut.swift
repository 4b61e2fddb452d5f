import Testing

@Suite("SQLite") struct DatabaseIsLeftOut {
  @Test(
    .disabled("left out, because /usr/include/sqlite3.h is missing: apt install libsqlite3-dev")
  )
  func `the example of SQLite`() {}
}
