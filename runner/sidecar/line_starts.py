"""Where lines begin in what a runner writes."""

_DATA = b"__PTC_DATA__"
_DIGITS = 6
_HEAD_LENGTH = len(_DATA) + _DIGITS


class LineStarts:
    """Follows a stream of the runner from its beginning. A line may have data in front, whose newlines do not end it: see
    `runner/python/shared/frames.py`.
    """

    def __init__(self):
        # The first bytes of the current line, which say where its data ends.
        self._head = b""
        self._length = 0

    @property
    def is_within_line(self):
        """Whether the next byte belongs to a line that has begun."""
        return self._length > 0

    def push(self, data):
        """Takes the next bytes. Returns the place in them, or at their end, at which a line begins first; None if the line
        that has begun before them goes on.
        """
        first = None if self._length else 0
        at = 0
        while at < len(data):
            self._head += data[at : at + _HEAD_LENGTH - len(self._head)]
            newline = data.find(b"\n", at + max(0, _data_end(self._head) - self._length))
            if newline < 0:
                self._length += len(data) - at
                break
            at = newline + 1
            self._head = b""
            self._length = 0
            if first is None:
                first = at
        return first


def _data_end(head):
    if not head.startswith(_DATA):
        return 0
    digits = head[len(_DATA) :]
    return _HEAD_LENGTH + int(digits) if len(digits) == _DIGITS and digits.isdigit() else 0
