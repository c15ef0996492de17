"""How long the runner lives without a host."""

import time

# How often a pod of a pool looks whether a session has claimed it.
_LOOK = 5


class Patience:
    """Begins when the runner starts, and anew each time a host leaves."""

    def __init__(self, seconds, host_seconds, unclaimed_seconds, session_file):
        """Takes how many seconds the runner lives after its host was lost, how many it waits for the host that made the pod or
        to which it said its last, how many it waits in a pool until a session claims it, and the file with the id of the
        session, which is empty until then. A runner that is made for a session does not wait.
        """
        self._seconds = seconds
        self._host_seconds = host_seconds
        self._session_file = session_file
        self._is_claimed = unclaimed_seconds == 0
        self._begun = time.monotonic()
        self._allowed = host_seconds if self._is_claimed else unclaimed_seconds

    def begin(self):
        """Call this when a host leaves."""
        self._is_claimed = True
        self._begun = time.monotonic()
        self._allowed = self._seconds

    def runner_ended(self):
        """Only the host to which the runner said its last wants that."""
        self._seconds = min(self._seconds, self._host_seconds)
        self._allowed = min(self._allowed, self._seconds)

    def is_over(self):
        """Says whether the runner has been without a host for too long."""
        # The host that claimed it may have ended before it was here.
        if not self._is_claimed and self._has_session():
            self.begin()
        return self._left() <= 0

    def seconds_left(self):
        """Returns after how many seconds `is_over` has to be asked again."""
        left = max(0, self._left())
        return left if self._is_claimed else min(left, _LOOK)

    def _left(self):
        return self._begun + self._allowed - time.monotonic()

    def _has_session(self):
        with open(self._session_file, encoding="ascii") as file:
            return file.read() != ""
