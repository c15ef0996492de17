"""The time after which a sandbox without a host ends itself or its program."""

import time

# Without a host, a program is stopped this many seconds after its time limit.
_HOST_TIMEOUT = 5.0


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
