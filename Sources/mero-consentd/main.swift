import ConsentBroker
import EventLoop
import Glibc

// First of all: nothing that comes later is ever without it.
ProcessGuard.raise()
exit(DaemonProgram.run())
