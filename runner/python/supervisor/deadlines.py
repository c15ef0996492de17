"""Deadlines on the monotonic clock."""

import time

NEVER = float("inf")

# `poll` takes a timeout of 32 bits.
_LONGEST_WAIT_MS = 2_000_000_000


def earliest(deadlines):
    """Returns the earliest deadline. None stands for no deadline."""
    return min([at for at in deadlines if at is not None], default=NEVER)


def ms_until(deadline):
    """Returns the timeout for `poll`; None means no timeout."""
    return None if deadline is NEVER else min(_LONGEST_WAIT_MS, max(0, int((deadline - time.monotonic()) * 1000) + 1))
