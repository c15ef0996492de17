"""When there is something to do, on the monotonic clock."""

import time

NEVER = float("inf")

# `poll` counts in 32 bits.
_LONGEST_WAIT_MS = 2_000_000_000


def earliest(deadlines):
    """The earliest of deadlines, None for each that there is not."""
    return min([at for at in deadlines if at is not None], default=NEVER)


def ms_until(deadline):
    """How long `poll` may wait; None for ever."""
    return None if deadline is NEVER else min(_LONGEST_WAIT_MS, max(0, int((deadline - time.monotonic()) * 1000) + 1))
