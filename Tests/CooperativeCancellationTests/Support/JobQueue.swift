/// Jobs in the order in which they came. (Removing the first element of an array moves all others.)
struct JobQueue {
  private var jobs: [UnownedJob] = []
  private var position = 0

  var isEmpty: Bool { position == jobs.count }

  mutating func append(_ job: UnownedJob) { jobs.append(job) }

  mutating func next() -> UnownedJob? {
    if isEmpty {
      self = JobQueue()
      return nil
    }
    defer { position += 1 }
    return jobs[position]
  }
}
