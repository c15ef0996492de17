"""Deadlines on the monotonic clock, and that of a sandbox without a host."""

import time

NEVER = float("inf")

# `poll` takes a timeout of 32 bits.
_LONGEST_WAIT_MS = 2_000_000_000

# Without a host, a program is stopped this many seconds after its time limit.
_HOST_TIMEOUT = 5.0

# How soon to look again at an interrupted guest that has had no processor yet.
_LOOK_AGAIN_AFTER = 0.1


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

    def __init__(self, grace, limit, guest):
        now = time.monotonic()
        self._end = self.at = now + grace
        self._limit = now + limit
        self._guest = guest
        self._run, self._waited = guest.processor_seconds()
        self._was_late = False

    def is_over(self, now):
        """Whether the time is over."""
        run, waited = self._guest.processor_seconds()
        # It is less than before if a process of the guest has ended, such as the shell.
        self._end += max(0, waited - self._waited)
        self._waited = waited
        if now < self.at:
            return False
        self.at = min(self._end, self._limit)
        if now < self.at:
            return False
        # The kernel counts a wait only when it has ended, so a guest that has not run at all since the interrupt may
        # have waited the whole time. After a stall of the whole machine it gets a processor once, even after the limit.
        if run != self._run or run == 0 or self._was_late or not self._guest.is_ready_to_run():
            return True
        self._was_late = now >= self._limit
        self.at = now + _LOOK_AGAIN_AFTER
        return False


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
