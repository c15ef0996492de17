"""Deadlines on the monotonic clock, and that of a sandbox without a host."""

import time

NEVER = float("inf")

# `poll` takes a timeout of 32 bits.
_LONGEST_WAIT_MS = 2_000_000_000

# Without a host, a program is stopped this many seconds after its time limit.
_HOST_TIMEOUT = 5.0


def earliest(deadlines):
    """Returns the earliest deadline. None stands for no deadline."""
    return min([at for at in deadlines if at is not None], default=NEVER)


def ms_until(deadline):
    """Returns the timeout for `poll`; None means no timeout."""
    return None if deadline is NEVER else min(_LONGEST_WAIT_MS, max(0, int((deadline - time.monotonic()) * 1000) + 1))


class StopDeadline:
    """The time until which an interrupted guest must have stopped. The seconds in which it waited for a processor do
    not count, so that a busy machine costs no session. A program can make itself wait, hence the limit.
    """

    def __init__(self, grace, limit, waited):
        now = time.monotonic()
        self._end = now + grace - waited
        self._limit = now + limit
        self.at = now + grace

    def is_over(self, now, waited):
        """Whether the time is over, for a guest that has waited for a processor for so many seconds in its life."""
        if now < self.at:
            return False
        # Less than before if the guest has just ended.
        self.at = min(self._end + waited, self._limit)
        return now >= self.at


class HostClock:
    """Tells when an idle sandbox ends by itself and, while a program runs, when the program is stopped without a host."""

    def __init__(self):
        # None if there is no limit.
        self.idle_limit = None
        self.expire_at = None

    def rest(self):
        """Starts the idle time: no program runs."""
        self.expire_at = None if self.idle_limit is None else time.monotonic() + self.idle_limit

    def extend(self, time_limit):
        """Starts the time of the program."""
        self.expire_at = time.monotonic() + time_limit + _HOST_TIMEOUT

    def has_expired(self, now):
        """Whether the time is over. True only once."""
        if self.expire_at is None or now < self.expire_at:
            return False
        self.expire_at = None
        return True
