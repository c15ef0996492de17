"""What goes to the host on standard output."""

from . import process

# What a pipe holds.
_LARGE = 1 << 16


class HostOutput:
    """Frames, of which those that come together are written together: each write wakes the host."""

    def __init__(self):
        self._frames = []

    def add(self, frame):
        """Has a frame go out with the next `write`."""
        self._frames.append(frame)

    def write_all(self, frames):
        """Has frames go out that are made one by one and may be large together."""
        for frame in frames:
            self._frames.append(frame)
            if len(frame) >= _LARGE:
                self.write()

    def write(self):
        """Writes what waits."""
        frames = b"".join(self._frames)
        self._frames.clear()
        process.write_all(1, frames)
