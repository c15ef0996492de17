"""What the runner has written and the host has not confirmed."""

# `collections` loads eight modules more.
from _collections import deque

from .packets import WINDOW, packet


class KeptOutput:
    """Keeps packets until they are confirmed, so that a connection that was cut has lost nothing."""

    def __init__(self):
        self._kept = deque()
        # Where the next packet begins, in bytes of output.
        self._end = 0
        self._confirmed = 0
        # How many of the kept packets were sent over the current connection.
        self._sent = 0

    @property
    def is_full(self):
        """Whether no more may be read of the runner now."""
        return self._end - self._confirmed >= WINDOW

    @property
    def is_confirmed(self):
        """Whether the host has everything."""
        return not self._kept

    def add(self, kind, data):
        """Keeps what the runner wrote."""
        self._end += len(data)
        self._kept.append((self._end, packet(kind, data)))

    def take_next(self):
        """Returns the next packet for the current connection. None if it was sent everything."""
        if self._sent == len(self._kept):
            return None
        self._sent += 1
        return self._kept[self._sent - 1][1]

    def confirm(self, received):
        """The host has this many bytes."""
        self._confirmed = max(self._confirmed, min(received, self._end))
        while self._kept and self._kept[0][0] <= self._confirmed:
            self._kept.popleft()
            self._sent = max(0, self._sent - 1)

    def rewind(self, received):
        """A new connection of the same host, which has this many bytes."""
        self.confirm(received)
        self._sent = 0

    def clear(self):
        """Another host, to which nothing is said that was meant for the one before."""
        self.__init__()
