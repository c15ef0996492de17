"""The time after which a sandbox that has no host does without one."""

import time

# So much longer than its limit a program may run until it is stopped with no host to do so.
_HOST_PATIENCE = 5.0


class HostClock:
    """Says when the sandbox ends by itself or, while a program runs, when that is stopped with no host to do so."""

    def __init__(self):
        # None while it may be idle for ever.
        self.idle_limit = None
        self.expire_at = None

    def rest(self):
        """No program runs: the idle time begins anew."""
        self.expire_at = None if self.idle_limit is None else time.monotonic() + self.idle_limit

    def extend(self, time_limit):
        """A program runs: its time begins anew."""
        self.expire_at = time.monotonic() + time_limit + _HOST_PATIENCE

    def has_expired(self, now):
        """Whether it is time, which it says once."""
        if self.expire_at is None or now < self.expire_at:
            return False
        self.expire_at = None
        return True
