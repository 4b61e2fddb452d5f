import Foundation

do {
  try Command(CommandLine.arguments.dropFirst()).run()
} catch {
  FileHandle.standardError.write(Data("\(error)\n".utf8))
  exit(EXIT_FAILURE)
}
