import EventLoop
import Glibc

// First of all: tokens go through this process.
ProcessGuard.raise()
exit(Program.run())
