"""The host's frames on standard input, and the frames to the host on standard output."""

from ..shared.frames import DATA_HEAD_LENGTH, TOOL_RESULT, data_end
from . import system

_RESULT = TOOL_RESULT[0]
# The capacity of a pipe.
_LARGE = 1 << 16


class HostInput:
    """Splits the host's bytes into frames, which may have data in front. Passes whole lines to `on_frame`, and the bytes of
    tool results to `relay` as they arrive, without collecting them first.
    """

    def __init__(self, on_frame, relay):
        self._on_frame = on_frame
        self._relay = relay
        self._line = bytearray()
        # Where the data in front of the line ends.
        self._data_end = 0
        self._relaying = False

    def push(self, data):
        """Takes the next chunk of bytes."""
        start = 0
        while start < len(data):
            newline = data.find(b"\n", start + self._data_left(data, start))
            end = len(data) if newline < 0 else newline + 1
            self._push_part(data[start:end], newline >= 0)
            start = end

    def _data_left(self, data, start):
        """How many of the next bytes belong to data in front of the current line."""
        if self._relaying:
            return 0
        known = len(self._line)
        if known < DATA_HEAD_LENGTH:
            self._data_end = data_end(self._line + data[start : start + DATA_HEAD_LENGTH - known])
        return max(0, self._data_end - known)

    def _push_part(self, part, ends_line):
        if self._relaying:
            self._relay(part)
        else:
            self._line += part
            if self._line.startswith(_RESULT):
                self._relaying = True
                self._relay(bytes(self._line))
                self._line.clear()
            elif ends_line:
                self._on_frame(bytes(self._line))
        if ends_line:
            self._relaying = False
            self._line.clear()


class HostOutput:
    """Collects frames for the host to write them together, because each write wakes the host."""

    def __init__(self):
        self._frames = []

    def add(self, frame):
        """Adds a frame to the next `write`."""
        self._frames.append(frame)

    def tell(self, frame):
        """Writes this frame after those that were added."""
        self._frames.append(frame)
        self.write()

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
        system.write_all(1, frames)
