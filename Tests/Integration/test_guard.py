"""What another process of the same person can make of a crash: nothing."""

import signal

import pytest
from harness.programs import Daemon

CRASHES = [signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGFPE, signal.SIGILL,
           signal.SIGTRAP, signal.SIGQUIT, signal.SIGSYS]


def test_no_handler_of_the_runtimes_waits_for_a_crash(daemon):
    with open(f"/proc/{daemon.pid}/status") as status:
        caught = next(int(line.split()[1], 16) for line in status if line.startswith("SigCgt"))
    assert [number.name for number in CRASHES if caught >> (number - 1) & 1] == []


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGABRT])
def test_a_crash_ends_it_at_once_and_shows_nothing(programs, number):
    daemon = programs(Daemon).start()
    daemon.signal(number)
    assert daemon.process.wait(timeout=60) == -number
    daemon.process = None  # the fixture takes every other crash for a fault
    assert "acktrace" not in daemon.log


def test_it_does_not_start_under_a_tracer(programs):
    """A debugger that was there first stays, whatever the process does about it."""
    daemon = programs(Daemon)
    daemon.arguments = ["strace", "-o", str(daemon.home / "trace"), *daemon.arguments]
    daemon.spawn()
    assert daemon.wait() == 77
    assert daemon.log.splitlines()[-1].startswith("mero-consentd: error: TRACED: "), daemon.log
    assert list(daemon.state.iterdir()) == []
