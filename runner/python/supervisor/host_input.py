"""Splits the host's bytes into frames. A tool result is passed on as it arrives, without collecting it first."""

from ..shared.frames import TOOL_RESULT

_RESULT = TOOL_RESULT[0]


class HostInput:
    """Passes whole frames to `on_frame`, and the bytes of tool results to `relay`."""

    def __init__(self, on_frame, relay):
        self._on_frame = on_frame
        self._relay = relay
        self._line = bytearray()
        self._relaying = False

    def push(self, data):
        """Takes the next chunk of bytes."""
        start = 0
        while start < len(data):
            newline = data.find(b"\n", start)
            end = len(data) if newline < 0 else newline + 1
            self._push_part(data[start:end], newline >= 0)
            start = end

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
