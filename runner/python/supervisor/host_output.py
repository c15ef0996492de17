"""The output to the host on standard output."""

from . import process

# The capacity of a pipe.
_LARGE = 1 << 16


class HostOutput:
    """Collects frames to write them together, because each write wakes the host."""

    def __init__(self):
        self._frames = []

    def add(self, frame):
        """Adds a frame to the next `write`."""
        self._frames.append(frame)

    def write_all(self, frames):
        """Writes frames that are created one by one and may be large together."""
        for frame in frames:
            self._frames.append(frame)
            if len(frame) >= _LARGE:
                self.write()

    def write(self):
        """Writes the collected frames."""
        frames = b"".join(self._frames)
        self._frames.clear()
        process.write_all(1, frames)
