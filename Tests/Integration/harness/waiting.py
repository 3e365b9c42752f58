"""Waiting for what is, never for time."""

import time

# How long anything may take on a busy machine before a test gives up. Nothing waits this long
# when it goes well.
PATIENCE = 60.0


def until(condition, what, within=PATIENCE):
    """Looks at `condition` until it is true, and answers its value."""
    deadline = time.monotonic() + within
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {within} s: {what}")
        time.sleep(0.01)
