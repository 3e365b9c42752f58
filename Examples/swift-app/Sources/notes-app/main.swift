// An app with a main loop of its own, as a GTK app has one: the main thread sleeps in poll(2), and
// everything else happens beside it. `notes-app SESSION.json NAME` creates an organization, through
// the daemon where one runs, without it otherwise.

import ConsentClient
import Glibc

guard CommandLine.arguments.count == 3 else {
  print("usage: notes-app SESSION.json NAME")
  exit(64)
}
let loop = try MainLoop()
let (file, name) = (CommandLine.arguments[1], CommandLine.arguments[2])

// Detached: a task that is made here would be the main actor's, and that is the thread which sleeps.
Task.detached {
  do throws(BrokerError) {
    try await createOrganization(named: name, file)
    loop.end(0)
  } catch {
    say("\(error)")
    loop.end(1)
  }
}
exit(loop.run())
